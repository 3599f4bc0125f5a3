"""Opens SQLite files that somebody else may be writing, without leaving a trace.

A reader of a database in WAL mode needs a `-shm` file, and SQLite creates one beside the database, even for
a connection that may only read. So a database is opened in the way that needs no new file:

    rollback journal             read-only: a reader takes a lock and nothing more
    WAL, nobody has it open      immutable: there is no `-wal`, all is in the file
    WAL, a writer is alive       read-only: `-wal` and `-shm` are there already
    WAL, the writer was killed   a copy elsewhere, for its `-wal` has to be replayed
    bytes, a compressed file     in memory, and so is one that is cut off or that a writer keeps locked
"""

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from traindx.errors import UnreadableError
from traindx.readers.types import Source

_MAGIC = b"SQLite format 3\0"
_PAGE_SIZE, _JOURNAL_MODE = slice(16, 18), slice(18, 20)
_WAL, _ROLLBACK = b"\x02\x02", b"\x01\x01"
_PATIENCE_SECONDS = 2.0
_LONGEST_VALUE = 1 << 26
"""In bytes: more than any logged value, less than a damaged length may ask for."""


@contextmanager
def opened(source: Source) -> Iterator[sqlite3.Connection]:
    """A connection that can only read; raises `sqlite3.Error` or `OSError` where there is no database."""
    if source.data is not None or not _is_whole_file(source):
        with closing(_in_memory(source)) as connection:
            yield connection
        return
    path = Path(source.path).absolute()
    is_wal = source.head[_JOURNAL_MODE] == _WAL
    log = Path(f"{path}-wal")
    if is_wal and log.exists() and not Path(f"{path}-shm").exists():
        with tempfile.TemporaryDirectory() as folder, closing(_copy(path, log, Path(folder))) as connection:
            yield connection
        return
    with closing(_connect(path, "immutable=1" if is_wal and not log.exists() else "mode=ro")) as connection:
        if not _is_locked(connection):
            yield connection
            return
    with closing(_in_memory(source)) as connection:
        yield connection


@contextmanager
def readable(source: Source, kind: str, todo: str) -> Iterator[sqlite3.Connection]:
    """The same, for a source that is to be read; raises `UnreadableError` where SQLite cannot."""
    try:
        with opened(source) as connection:
            yield connection
    except (sqlite3.Error, OSError) as error:
        what = f"SQLite cannot read the {kind} ({error})"
        raise UnreadableError(source.path, what, todo) from error


def _is_whole_file(source: Source) -> bool:
    """Whether there is a database at the source's path, neither compressed nor cut off within a page."""
    with Path(source.path).open("rb") as stream:
        if stream.read(len(_MAGIC)) != _MAGIC:
            return False
        return stream.seek(0, os.SEEK_END) % _page_bytes(source.head) == 0


def _page_bytes(head: bytes) -> int:
    size = int.from_bytes(head[_PAGE_SIZE], "big")
    return 65_536 if size < 2 else size


def _connect(path: Path, how: str) -> sqlite3.Connection:
    connection = sqlite3.connect(f"{path.as_uri()}?{how}", uri=True, timeout=_PATIENCE_SECONDS)
    return _guarded(connection)


def _copy(path: Path, log: Path, folder: Path) -> sqlite3.Connection:
    shutil.copyfile(path, folder / "copy.db")
    shutil.copyfile(log, folder / "copy.db-wal")
    return _connect(folder / "copy.db", "mode=ro")


def _is_locked(connection: sqlite3.Connection) -> bool:
    try:
        connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchall()
    except sqlite3.OperationalError:
        return True
    return False


def _in_memory(source: Source) -> sqlite3.Connection:
    data = source.read()
    # Half a page would be filled up with zeros, and half a number read as a whole one.
    data = data[: len(data) - len(data) % _page_bytes(source.head)]
    if not data:
        raise sqlite3.DatabaseError("not one whole page")
    if data[_JOURNAL_MODE] == _WAL:  # SQLite refuses a WAL database that is not a file
        data = data[: _JOURNAL_MODE.start] + _ROLLBACK + data[_JOURNAL_MODE.stop :]
    connection = sqlite3.connect(":memory:")
    connection.deserialize(data)
    return _guarded(connection)


def _guarded(connection: sqlite3.Connection) -> sqlite3.Connection:
    """Take text as it comes, and neither memory nor code from a stranger's file at its word."""
    connection.text_factory = lambda text: text.decode("utf-8", "replace")
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_VALUE)
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA query_only = ON")
    # Nothing is written; it makes SQLite read a file that has lost its end as far as it goes.
    connection.execute("PRAGMA writable_schema = ON")
    return connection


def until_damage(
    connection: sqlite3.Connection, query: str, values: tuple[object, ...], damage: list[str]
) -> Iterator[tuple[object, ...]]:
    """The lines that a query finds; those before the damage, which is noted, in a damaged database."""
    try:
        yield from connection.execute(query, values)
    except sqlite3.DatabaseError as error:
        damage.append(str(error))


def distinct(connection: sqlite3.Connection, columns: str, table: str) -> list[tuple[object, ...]]:
    """The different values of some columns, in the order of their first lines."""
    damage: list[str] = []
    query = f"{columns} FROM {table}"
    rows = list(until_damage(connection, f"SELECT DISTINCT {query}", (), damage))
    if damage:  # Python loses the line before an error: that of a run, or here one of very many
        rows.extend(until_damage(connection, f"SELECT {query}", (), damage))
    return list(dict.fromkeys(rows))


def table_columns_in(source: Source, table: str) -> frozenset[str]:
    """The names of a table's columns; empty where the source is no database or has no such table."""
    if not source.head.startswith(_MAGIC):
        return frozenset()
    try:
        with opened(source) as connection:
            return table_columns(connection, table)
    except (sqlite3.Error, OSError):
        return frozenset()


def table_columns(connection: sqlite3.Connection, table: str) -> frozenset[str]:
    """The names of a table's columns; empty where there is no such table."""
    # A view of that name could run for ever: only a table counts.
    is_table = connection.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", (table,))
    if is_table.fetchone() is None:
        return frozenset()
    return frozenset(
        name for (name,) in connection.execute("SELECT name FROM pragma_table_info(?)", (table,))
    )
