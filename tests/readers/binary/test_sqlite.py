import gzip
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from traindx.readers.binary.sqlite import opened, table_columns, table_columns_in, until_damage
from traindx.readers.types import HEAD_BYTES, Source


def database(path: Path, mode: str) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute(f"PRAGMA journal_mode = {mode}")
    connection.execute("CREATE TABLE metrics (key TEXT, value REAL)")
    connection.execute("INSERT INTO metrics VALUES ('loss', 0.5)")
    return connection


def source(path: Path) -> Source:
    return Source(str(path), path.read_bytes()[:HEAD_BYTES])


def rows(place: Source) -> list[tuple[str, float]]:
    with opened(place) as connection:
        return connection.execute("SELECT key, value FROM metrics").fetchall()


def files(folder: Path) -> dict[str, bytes]:
    # Readers mark themselves in the -shm of a living writer; all other bytes must stay.
    return {p.name: b"" if p.name.endswith("-shm") else p.read_bytes() for p in folder.iterdir()}


@pytest.mark.parametrize("mode", ["DELETE", "WAL"])
def test_a_closed_database_is_read_without_a_trace(tmp_path: Path, mode: str) -> None:
    path = tmp_path / "a #1?.db"
    database(path, mode).close()
    before = files(tmp_path)
    assert rows(source(path)) == [("loss", 0.5)]
    assert files(tmp_path) == before
    assert list(before) == ["a #1?.db"]


@pytest.mark.parametrize("mode", ["DELETE", "WAL"])
def test_a_database_is_read_while_it_is_written(tmp_path: Path, mode: str) -> None:
    path = tmp_path / "live.db"
    with closing(database(path, mode)) as writer:
        before = files(tmp_path)
        assert rows(source(path)) == [("loss", 0.5)]
        assert files(tmp_path) == before
        writer.execute("INSERT INTO metrics VALUES ('loss', 0.25)")
        assert rows(source(path)) == [("loss", 0.5), ("loss", 0.25)]


def test_what_a_killed_writer_left_in_its_log_is_read(tmp_path: Path) -> None:
    path = tmp_path / "killed.db"
    with closing(database(tmp_path / "live.db", "WAL")) as writer:
        writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        writer.execute("INSERT INTO metrics VALUES ('loss', 0.25)")
        path.write_bytes((tmp_path / "live.db").read_bytes())
        Path(f"{path}-wal").write_bytes(Path(f"{tmp_path}/live.db-wal").read_bytes())
    before = files(tmp_path)
    assert rows(source(path)) == [("loss", 0.5), ("loss", 0.25)]
    assert files(tmp_path) == before


def test_a_locked_database_is_read_as_it_lies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("traindx.readers.binary.sqlite._PATIENCE_SECONDS", 0.01)
    path = tmp_path / "locked.db"
    with closing(database(path, "DELETE")) as writer:
        writer.execute("BEGIN EXCLUSIVE")
        assert rows(source(path)) == [("loss", 0.5)]


@pytest.mark.parametrize("wrapped", [lambda data: data, gzip.compress])
@pytest.mark.parametrize("mode", ["DELETE", "WAL"])
def test_bytes_are_read_in_memory(tmp_path: Path, mode: str, wrapped: Callable[[bytes], bytes]) -> None:
    path = tmp_path / "a.db"
    database(path, mode).close()
    data = path.read_bytes()
    path.unlink()
    assert rows(Source("standard input", data[:HEAD_BYTES], wrapped(data))) == [("loss", 0.5)]
    assert list(tmp_path.iterdir()) == []


def test_a_compressed_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    database(path, "WAL").close()
    data = path.read_bytes()
    path.write_bytes(gzip.compress(data))
    assert rows(Source(str(path), data[:HEAD_BYTES])) == [("loss", 0.5)]


def test_half_a_page_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with closing(database(path, "DELETE")) as writer:
        writer.executemany("INSERT INTO metrics VALUES ('loss', ?)", [(n / 3,) for n in range(2000)])
    data = path.read_bytes()
    for end in range(len(data) - 5000, len(data), 77):
        path.write_bytes(data[:end])
        damage: list[str] = []
        with opened(source(path)) as connection:
            values = [v for (v,) in until_damage(connection, "SELECT value FROM metrics", (), damage)]
        assert values == [0.5, *(n / 3 for n in range(len(values) - 1))]
        assert damage == ["database disk image is malformed"]
        assert list(tmp_path.iterdir()) == [path]


def test_nothing_can_be_written(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    database(path, "DELETE").close()
    with opened(source(path)) as connection, pytest.raises(sqlite3.OperationalError, match="readonly"):
        connection.execute("DELETE FROM metrics")


def test_the_columns_of_a_table_but_not_of_a_view(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with closing(database(path, "DELETE")) as writer:
        writer.execute("CREATE VIEW runs AS SELECT key FROM metrics")
    assert table_columns_in(source(path), "metrics") == {"key", "value"}
    with opened(source(path)) as connection:
        assert table_columns(connection, "runs") == frozenset()
        assert table_columns(connection, "absent") == frozenset()


def test_no_database_has_no_columns(tmp_path: Path) -> None:
    assert table_columns_in(Source("x", b"loss 0.5"), "metrics") == frozenset()
    assert table_columns_in(Source("absent.db", b"SQLite format 3\0"), "metrics") == frozenset()
    noise = b"SQLite format 3\0" + bytes(range(256)) * 20
    assert table_columns_in(Source("x", noise, noise), "metrics") == frozenset()
