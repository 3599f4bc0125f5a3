from traindx.readers.loading.files import in_memory
from traindx.readers.wandb_ui_export import READER

_NAMES = ("17/04/2025_22:06 - x - loss", "b - loss")
SAMPLE = "\n".join(
    [
        ",".join(
            f'"{name}"' for name in ["Step", *(n + bound for n in _NAMES for bound in ("", "__MIN", "__MAX"))]
        ),
        '"4","12.171820640563965","12.1","12.2","","",""',
        '"52","9.457798957824707","9.4","9.5","9.1","9.1","9.1"',
        '"90","NaN","9.4","9.5","8.1","8.1","8.1"',
        "",
    ]
).encode()


def test_one_log_per_run() -> None:
    first, second = READER.read(in_memory("logs.csv", SAMPLE))
    assert (first.run, second.run) == ("17/04/2025_22:06 - x", "b")
    (loss,) = first.columns
    assert loss.name == "loss"
    assert loss.steps.tolist() == [4, 52, 90]
    assert loss.values.tolist()[:2] == [12.171820640563965, 9.457798957824707]
    assert second.columns[0].steps.tolist() == [52, 90]
    assert second.columns[0].values.tolist() == [9.1, 8.1]


def test_the_bounds_are_not_read() -> None:
    first, _ = READER.read(in_memory("logs.csv", SAMPLE))
    assert {item.name: item.count for item in first.unread} == {"loss__MIN": 3, "loss__MAX": 3}


def test_without_bounds_the_names_tell() -> None:
    text = b'"Step","a - loss","b - loss"\n"1","2.5","3.5"\n"2","1.5",""\n'
    assert READER.recognizes(in_memory("x", text)) == 0.7
    assert [log.run for log in READER.read(in_memory("x", text))] == ["a", "b"]
    assert READER.recognizes(in_memory("x", b"epoch,loss - train\n1,2\n2,3\n")) == 0
    assert READER.recognizes(in_memory("x", b"epoch,loss\n1,2\n2,3\n")) == 0
