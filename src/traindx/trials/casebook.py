"""The casebook: what was diagnosed in a project, what was tried, and whether it helped.

It is one SQLite file, `.traindx/cases.db`, made when the first case is written. It is only ever added to; a
file that is no casebook is left as it is.
"""

import math
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import astuple, fields, replace
from datetime import UTC, datetime
from pathlib import Path

from traindx.changes.types import kind_of, parse_changes
from traindx.diagnosis.types import Diagnosis
from traindx.errors import TraindxError
from traindx.trials.types import Case, Outcome, Treatment, Trial

PLACE = Path(".traindx") / "cases.db"
"""Where the casebook of a project is, below its folder."""

_VERSION = 1
_OURS = 0x74647843
"""What SQLite calls the application id: "tdxC"."""
_PATIENCE_SECONDS = 30.0
_JUDGED = (Outcome.HELPED, Outcome.NO_DIFFERENCE, Outcome.WORSE)
_LARGEST = 2**62
"""More cases than any casebook holds."""


_NAMES = [field.name for field in fields(Case)]
_TYPES = {"confidence": "REAL", "seeds": "INTEGER", "proven": "INTEGER", "patch_applied": "INTEGER"}
_TYPES |= dict.fromkeys(("control", "treated", "effect", "low", "high"), "REAL")
# Quoted, since some are words of SQL; all are names of our own fields.
_COLUMNS = ", ".join(f'"{name}"' for name in _NAMES)
_CREATE = (
    "CREATE TABLE IF NOT EXISTS cases (id INTEGER PRIMARY KEY, "
    + ", ".join(f'"{name}" {_TYPES.get(name, "TEXT")}' for name in _NAMES)
    + ")"
)


class Casebook:
    """The cases of one project, in a file that may not be there yet."""

    def __init__(self, place: Path | str = PLACE) -> None:
        self.place = Path(place)

    def record(
        self,
        diagnosis: Diagnosis,
        treatment: Treatment | None = None,
        *,
        command: str,
        project: str = "",
        patch_applied: bool = False,
        when: datetime | None = None,
    ) -> list[Case]:
        """Write a case for every trial, or one for the diagnosis where nothing was tried."""
        top = diagnosis.suspects[0] if diagnosis.suspects else None
        plain = Case(
            when=_moment(when or datetime.now(UTC)),
            project=project or Path.cwd().name,
            command=command,
            run=diagnosis.run,
            verdict=diagnosis.verdict.value,
            suspect=top.cause.slug if top else "",
            confidence=top.confidence if top else None,
        )
        cases = [plain]
        if treatment is not None and treatment.trials:
            cases = [_of(trial, plain, treatment.best, patch_applied) for trial in treatment.trials]
        with self._opened(writes=True) as connection:
            marks = ", ".join("?" * len(_NAMES))
            # Only the names of our own fields are put together here; the values are bound.
            connection.executemany(
                f"INSERT INTO cases ({_COLUMNS}) VALUES ({marks})",  # noqa: S608
                [tuple(_storable(value) for value in astuple(case)) for case in cases],
            )
        return cases

    def cases(
        self,
        *,
        cause: str | None = None,
        change: str | None = None,
        outcome: Outcome | None = None,
        since: datetime | None = None,
        last: int | None = None,
    ) -> list[Case]:
        """The cases that fit, the latest first; `cause` is what it was for, `change` a part of its text."""
        limits = [
            ("(cause = ? OR (change = '' AND suspect = ?))", (cause, cause) if cause else None),
            ("instr(lower(change), lower(?)) > 0", (change,) if change else None),
            ("outcome = ?", (outcome.value,) if outcome else None),
            ('"when" >= ?', (_moment(since),) if since else None),
        ]
        asked = [(clause, values) for clause, values in limits if values is not None]
        condition = " AND ".join(clause for clause, _ in asked) or "1"
        # The clauses are those above, whatever was asked for; the values are bound.
        query = f"SELECT {_COLUMNS} FROM cases WHERE {condition} ORDER BY id DESC LIMIT ?"  # noqa: S608
        values = [value for _, several in asked for value in several]
        return [_case(line) for line in self._read(query, [*values, _LARGEST if last is None else last])]

    def note_applied(self, run: str, *, is_applied: bool) -> None:
        """Note of the proven change of a treatment whether its patch is in the source."""
        with self._opened(writes=True) as connection:
            connection.execute(
                "UPDATE cases SET patch_applied = ? WHERE run = ? AND proven = 1", (int(is_applied), run)
            )

    def past_effects(self) -> dict[str, tuple[int, int]]:
        """How often each kind of change was tried with a clear outcome, and how often it helped.

        A trial that comes to the same numbers is the same trial: its runs were reused, or its seeds were.
        """
        effects: dict[str, tuple[int, int]] = {}
        judged = {outcome.value for outcome in _JUDGED}
        different = {(case.command, case.change, case.control, case.treated): case for case in self.cases()}
        for case in different.values():
            if case.change and case.outcome in judged:
                kind = _kind(case.change)
                tried, helped = effects.get(kind, (0, 0))
                effects[kind] = tried + 1, helped + (case.outcome == Outcome.HELPED.value)
        return effects

    def _read(self, query: str, values: Sequence[object]) -> list[tuple[object, ...]]:
        # A casebook that nobody has written to yet is empty; a file of no bytes is what a crash leaves of it.
        if not self.place.exists() or not self.place.stat().st_size:
            return []
        with self._opened(writes=False) as connection:
            return connection.execute(query, values).fetchall() if _has_table(connection) else []

    @contextmanager
    def _opened(self, *, writes: bool) -> Iterator[sqlite3.Connection]:
        """A connection to what is surely a casebook; a sentence for whatever else may be there."""
        try:
            if writes:
                self.place.parent.mkdir(parents=True, exist_ok=True)
            with closing(_connect(self.place, writes)) as connection:
                _refuse_others(connection, self.place)
                if writes:
                    _prepare(connection)
                with connection:
                    # A writer takes its turn here; a reader sees one state from here on.
                    connection.execute("BEGIN IMMEDIATE" if writes else "BEGIN")
                    if writes:
                        _create(connection)
                    yield connection
        except sqlite3.OperationalError as error:
            todo = "try again" if "locked" in str(error) else "check that its folder exists and is writable"
            raise TraindxError(f"{self.place}: cannot open the casebook ({error}); {todo}") from error
        except sqlite3.DatabaseError as error:
            raise _no_casebook(self.place, str(error)) from error
        except OSError as error:
            raise TraindxError(
                f"{self.place}: cannot open the casebook ({error.strerror}); choose another folder"
            ) from error


def _connect(path: Path, writes: bool) -> sqlite3.Connection:
    if writes:
        return _connection(path, "rwc")
    connection = _connection(path, "rw")
    try:
        connection.execute("SELECT 1 FROM sqlite_master").fetchone()
    except sqlite3.OperationalError as error:
        connection.close()
        if "locked" in str(error):
            raise
        # A disk that takes no writing: nobody else can be writing there either.
        return _connection(path, "ro&immutable=1")
    return connection


def _connection(path: Path, mode: str) -> sqlite3.Connection:
    # Transactions are ours to begin: a turn is taken before anything is looked at.
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode={mode}", uri=True, timeout=_PATIENCE_SECONDS, isolation_level=None
    )
    connection.text_factory = lambda text: text.decode("utf-8", "replace")
    connection.execute("PRAGMA trusted_schema = OFF")
    return connection


def _refuse_others(connection: sqlite3.Connection, path: Path) -> None:
    """Neither another program's database nor a casebook of the future is touched."""
    # One state for both: another writer may be making the table between two looks.
    connection.execute("BEGIN")
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    owner = connection.execute("PRAGMA application_id").fetchone()[0]
    connection.execute("COMMIT")
    if owner != _OURS and (owner or tables):
        raise _no_casebook(path, "another program's database")
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version > _VERSION:
        raise TraindxError(
            f"{path}: casebook version {version}, but this traindx supports {_VERSION}; update traindx"
        )


def _prepare(connection: sqlite3.Connection) -> None:
    try:
        connection.execute("PRAGMA journal_mode = WAL")
    except sqlite3.OperationalError as error:
        # Two that make the file at once: the other one has done it, or will.
        if "locked" not in str(error):
            raise


def _create(connection: sqlite3.Connection) -> None:
    if not _has_table(connection):
        connection.execute(_CREATE)
        connection.execute(f"PRAGMA application_id = {_OURS}")
        connection.execute(f"PRAGMA user_version = {_VERSION}")


def _has_table(connection: sqlite3.Connection) -> bool:
    return bool(connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'cases'").fetchall())


def _no_casebook(path: Path, what: str) -> TraindxError:
    return TraindxError(f"{path}: not a casebook ({what}); move it, and traindx creates a new one")


def _kind(text: str) -> str:
    """What a change is found again by; whatever else may be there, as it is."""
    try:
        return kind_of(parse_changes(text))
    except TraindxError:
        return text


def _of(trial: Trial, plain: Case, best: Trial | None, patch_applied: bool) -> Case:
    low, high = trial.interval or (None, None)
    return replace(
        plain,
        change=trial.name,
        cause=trial.cause,
        title=trial.title,
        measure=trial.measure.value,
        control=trial.control,
        treated=trial.treated,
        effect=trial.effect,
        low=low,
        high=high,
        outcome=trial.outcome.value,
        says=trial.says,
        seeds=len(trial.counted),
        proven=trial is best,
        patch_applied=patch_applied and trial is best,
    )


def _moment(when: datetime) -> str:
    """In UTC to the second; a time without a zone is one of this machine."""
    return when.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _storable(value: object) -> object:
    """As SQLite can hold it: it has no NaN, and no half of a character."""
    if isinstance(value, float):
        return None if math.isnan(value) else value
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value


def _case(line: Sequence[object]) -> Case:
    values = dict(zip(_NAMES, line, strict=True))
    for name in ("proven", "patch_applied"):
        values[name] = bool(values[name])
    return Case(**values)  # type: ignore[arg-type]  # the types of the columns are those of the fields
