from traindx.readers.loading.files import in_memory
from traindx.readers.tabular.lines import first_records, read_lines
from traindx.readers.tabular.sheet import SheetBuilder, add_records


def test_records_of_different_kinds_keep_their_rows() -> None:
    builder = SheetBuilder()
    add_records(builder, [{"a": 1, "b": 2.5}, {"b": 3}, {"a": None, "c": {"d": {"e": "4"}}}, {}])
    add_records(builder, [{"b": 5}])
    sheet = builder.finish()
    cells = {name: (cells.rows.tolist(), cells.values.tolist()) for name, cells in sheet.cells.items()}
    assert cells == {"a": ([0], [1]), "b": ([0, 1, 4], [2.5, 3, 5]), "c/d/e": ([2], [4])}
    assert sheet.length == 5


def test_only_records_that_come_once_and_state_no_position_are_settings() -> None:
    text = b'{"lr": 1}\n{"seed": 2}\n{"val_loss": 0.5}\n{"step": 1, "lr": 1}\n{"val_loss": 0.4}\n'
    sheet, origin = read_lines(in_memory("t", text))
    assert origin.settings == {"lr": 1.0, "seed": 2.0}
    assert sheet.cells["val_loss"].values.tolist() == [0.5, 0.4]


def test_the_first_records_tell_the_writer() -> None:
    assert first_records(b'\xef\xbb\xbf{"a": NaN}\nnoise\n[1]\n{"b": 2}\n{"c"')[1] == {"b": 2}
