from hypothesis import given
from hypothesis import strategies as st

from traindx.readers.text.lines import HOLE, filled, normal_of, number_of, parted


def shape(line: str) -> tuple[str, list[str]]:
    raw, numbers = parted(line)
    normal = normal_of(raw)
    return normal.shape.replace(HOLE, "_"), normal.numbers(numbers)


def test_numbers_are_taken_out() -> None:
    assert shape("iter 20: loss 9.4990, time 1516.36ms") == (
        "iter _: loss _, time _ms",
        ["20", "9.4990", "1516.36"],
    )
    assert shape("lr=1e-05 tok/sec: 24,514 x=-0.5") == ("lr=_ tok/sec: _ x=-_", ["1e-05", "24,514", "0.5"])


def test_digits_in_names_are_no_numbers() -> None:
    assert shape("Acc@1 5 mAP50 6 rouge-1 7 mAP@0.5 8 epoch-3") == (
        "Acc@1 _ mAP50 _ rouge-1 _ mAP@0.5 _ epoch-_",
        ["5", "6", "7", "8", "3"],
    )


def test_padding_does_not_matter() -> None:
    assert shape(" iteration       10/    1000 | loss:  8.1") == shape(" iteration 10/    1000 | loss: 8.1")
    assert shape("[ 120/2669]")[0] == shape("[2660/2669]")[0]
    assert shape("done   loss: 5")[0] == "done\tloss: _"


def test_nan_is_a_number_where_it_is_a_value() -> None:
    assert shape("loss: nan | number of nan iterations: 0") == (
        "loss: _ | number of nan iterations: _",
        ["nan", "0"],
    )
    assert shape("loss nan, acc -inf") == ("loss _, acc -_", ["nan", "inf"])
    assert shape("Loss nan (NaN) info")[1] == ["nan", "NaN"]
    assert shape("found nan: 3") == ("found nan: _", ["3"])


def test_bars_are_evened_out() -> None:
    assert shape(" 5%|##5   | 273/5000 [")[0] == " _%| _/_ ["
    assert shape("3/9 [==>....] - loss: 1")[0] == shape("9/9 [======] - loss: 1")[0]
    assert shape("10%|# | 1/9 [00:01<00:02]{'loss': 1}") == ("{'loss': _}", ["1"])


def test_metrics_named_by_numbers() -> None:
    line = " Average Recall     (AR) @[ IoU=0.50:0.95 | area= small | maxDets= 10 ] = 0.25"
    assert shape(line) == (" coco/ARs: _", ["0.25"])
    assert shape(line.replace(" small", "   all"))[0] == " coco/AR10: _"
    assert (
        shape(line.replace("Recall     (AR)", "Precision  (AP)").replace(":0.95", ""))[0] == " coco/AP50s: _"
    )


def test_the_values_of_numbers() -> None:
    spelled = ["5", "1e-3", "24,514", "0.5.", "nan", "1.8.0"]
    assert [repr(number_of(s)) for s in spelled] == ["5.0", "0.001", "24514.0", "0.5", "nan", "None"]


@given(st.text(alphabet="ab 1.,:=|%[](){}'-+e\t", max_size=60))
def test_parts_put_together_again_are_the_line(line: str) -> None:
    if "%|" not in line:
        assert filled(*parted(line)) == line
