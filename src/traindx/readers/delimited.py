"""CSV, TSV and other tables with one record per line: Lightning, Keras, Ultralytics, DVCLive, hand-written.

epoch,step,train_loss,val_loss
0,49,0.6931471805599453,
0,99,,0.5512

Blank cells are not values, but `nan` is one; Keras writes NA for a blank. The header may be missing, padded
with spaces, repeated in the middle after a restart, or written as a comment. Everything may be quoted,
numbers may have decimal commas, and a table may have one number per row, next to the metric's name.
"""

from collections.abc import Iterator

from traindx.errors import UnreadableError
from traindx.readers.names.vocabulary import axis_of, meaning
from traindx.readers.tabular.delimited_shape import shape_in
from traindx.readers.tabular.lines import read_table
from traindx.readers.tabular.sheet_logs import Origin, logs_of
from traindx.readers.types import Log, Reader, Source


def recognizes(source: Source) -> float:
    """Half sure of a table whose columns have known names, less of other tables of numbers."""
    shape = shape_in(source)
    if shape is None:
        return 0.0
    if not shape.headed:
        return 0.3 if len(shape.names) <= 3 or "step" in shape.names else 0.08
    known = [name for name in shape.names if axis_of(name) is not None or meaning(name) is not None]
    if not shape.rows:
        return 0.3 if len(known) * 2 > len(shape.names) else 0.0
    if len(shape.names) == 1:
        return 0.3 if known else 0.05
    return 0.5 if known else 0.08


def read(source: Source) -> Iterator[Log]:
    """One log, or one per run where a column tells runs apart."""
    sheet, events = read_table(source)
    if not sheet.cells:
        if not sheet.length:
            todo = "wait for the first row, or choose another file"
            raise UnreadableError(source.path, "header without rows", todo)
        raise UnreadableError(source.path, "no numbers in the table", "choose another file")
    yield from logs_of(sheet, Origin(source.path, events=events))


READER = Reader("delimited", "Table (CSV, TSV)", recognizes, read)
