"""The file of a recording: one SQLite database per process that trains.

Numbers stand in `rows`: a blob of 64-bit floats in the machine's byte order, `count` times the step and one
value per column of the layout. A layout is the tuple of columns that are written together, so that a plain
step costs its numbers and nothing else.
"""

APPLICATION_ID = 0x54445831
"""Written into the header of the database: "TDX1"."""
FORMAT = "traindx.recording/1"
SUFFIX = ".traindx"

SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE streams (id INTEGER PRIMARY KEY, name TEXT NOT NULL, shares TEXT NOT NULL);
CREATE TABLE columns (
    id INTEGER PRIMARY KEY, stream INTEGER NOT NULL,
    quantity TEXT NOT NULL, layer TEXT NOT NULL, part TEXT NOT NULL
);
CREATE TABLE layouts (id INTEGER PRIMARY KEY, columns TEXT NOT NULL);
CREATE TABLE rows (
    id INTEGER PRIMARY KEY, layout INTEGER NOT NULL, count INTEGER NOT NULL, data BLOB NOT NULL
);
CREATE TABLE facts (
    stream INTEGER NOT NULL, slug TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (stream, slug)
);
CREATE TABLE layers (
    stream INTEGER NOT NULL, position INTEGER NOT NULL,
    name TEXT NOT NULL, kind TEXT NOT NULL, shape TEXT NOT NULL,
    trainable INTEGER NOT NULL, optimized INTEGER NOT NULL, gradient INTEGER NOT NULL,
    PRIMARY KEY (stream, name)
);
CREATE TABLE events (
    id INTEGER PRIMARY KEY, stream INTEGER NOT NULL, step INTEGER, kind TEXT NOT NULL, says TEXT NOT NULL,
    layer TEXT NOT NULL, operation TEXT NOT NULL, batch INTEGER
);
"""
"""meta: JSON values: format, traindx, python, torch, script, arguments, pid, rank, ranks, began (seconds
since 1970), experiment (what is different) in arms of trials, rehearsals and searches for a rate, and
exit_code once the process has ended.
streams: what one optimizer trains (or several that step together); `shares` is a JSON list of the ids of
earlier streams that hold some of the same parameters. Stream 0 is the process as a whole: its facts and
events hold for all. A stream without columns never stepped.
columns, facts: slugs of `quantities` and `facts`; fact values are JSON. WALL_TIME is seconds since began.
layouts: a JSON list of column ids.
layers: the parameters of the model in the order of its definition; `kind` is the class of the module that
owns the parameter, `gradient` 0 while none other than zero was seen, `trainable` is requires_grad."""
