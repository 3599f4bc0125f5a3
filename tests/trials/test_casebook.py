"""The casebook on real SQLite files."""

import math
import multiprocessing
import os
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import treatments
from tests.report.formats import canonical
from traindx.errors import TraindxError
from traindx.trials.casebook import Casebook
from traindx.trials.types import Case, Outcome, Treatment

NOON = datetime(2026, 7, 30, 12, 0, tzinfo=UTC)


@pytest.fixture
def book(tmp_path: Path) -> Casebook:
    return Casebook(tmp_path / ".traindx" / "cases.db")


def record(
    book: Casebook,
    treatment: Treatment | None = None,
    when: datetime = NOON,
    command: str = "python train.py",
) -> list[Case]:
    return book.record(canonical.sick(), treatment, command=command, project="spirals", when=when)


def uses(book: Casebook) -> list[Callable[[], object]]:
    """Everything that can be done with a casebook."""
    return [book.cases, book.past_effects, lambda: record(book)]


def test_a_treatment_is_a_case_for_every_trial(book: Casebook) -> None:
    written = book.record(
        canonical.sick(), treatments.won(), command="python train.py", project="spirals", patch_applied=True
    )
    cases = book.cases()
    assert list(reversed(cases)) == written
    first = cases[-1]
    assert (first.change, first.cause, first.outcome) == ("optimizer.lr x 0.01", "lr-too-high", "helped")
    assert [first.control, first.treated] == pytest.approx([2.31, 0.24])
    assert (first.effect, first.low, first.high, first.seeds) == (-2.07, -2.21, -1.93, 3)
    assert (first.verdict, first.suspect, first.confidence) == ("sick", "lr-too-high", 0.87)
    assert (first.measure, first.run, first.project, first.command) == (
        "training loss",
        "hot",
        "spirals",
        "python train.py",
    )
    assert [case.patch_applied for case in cases] == [case.proven for case in cases] == [False] * 5 + [True]


def test_a_diagnosis_without_trials_is_a_case_too(book: Casebook) -> None:
    record(book)
    record(book, Treatment((), None))
    first, second = book.cases()
    assert first == second
    assert (first.suspect, first.change, first.outcome, first.seeds) == ("lr-too-high", "", "", 0)
    assert first.control is first.effect is None


def test_the_project_is_the_folder_where_none_is_given(
    book: Casebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(book.place.parents[1])
    (case,) = book.record(canonical.healthy(), command="train")
    assert case.project == book.place.parents[1].name
    assert case.when.endswith("Z")


def test_nothing_is_made_by_reading(book: Casebook) -> None:
    assert book.cases() == []
    assert book.past_effects() == {}
    assert not book.place.parent.exists()


def test_a_broken_arm_keeps_that_it_broke(book: Casebook) -> None:
    record(book, Treatment((treatments.SAVED,), treatments.SAVED))
    (case,) = book.cases()
    assert case.control == math.inf
    assert case.effect is None


def test_cases_are_found_by_what_they_are(book: Casebook) -> None:
    record(book, treatments.won(), NOON - timedelta(days=3))
    record(book, treatments.lost())
    record(book)
    assert [case.change for case in book.cases(cause="exploding-gradients")] == ["gradients.clip 1.0"] * 2
    assert {case.change for case in book.cases(cause="lr-too-high")} == {"", "optimizer.lr x 0.01"}
    assert [case.change for case in book.cases(change="CLIP", last=1)] == ["gradients.clip 1.0"]
    assert {case.outcome for case in book.cases(outcome=Outcome.WORSE)} == {"worse"}
    assert len(book.cases(since=NOON - timedelta(days=1))) == 3
    assert len(book.cases(since=NOON)) == 3
    assert book.cases(since=NOON + timedelta(seconds=1)) == []
    assert [case.change for case in book.cases(last=2)] == ["", "schedule.warmup 100"]
    assert book.cases(change="100%") == []


def test_past_effects_count_only_clear_outcomes(book: Casebook) -> None:
    record(book, treatments.won())
    # The same numbers of the same command are the same trial: its runs were reused.
    record(book, treatments.won())
    record(book, treatments.lost(), command="python other.py")
    record(book)
    assert book.past_effects() == {
        "optimizer.lr x 0.01": (1, 1),
        # The limit comes from the recording, and differs from run to run.
        "gradients.clip": (2, 0),
        "schedule.warmup 100": (2, 0),
    }


@given(text=st.text(max_size=60), value=st.floats())
def test_whatever_it_is_called_comes_back(
    tmp_path_factory: pytest.TempPathFactory, text: str, value: float
) -> None:
    book = Casebook(tmp_path_factory.mktemp("odd") / "cases.db")
    odd = treatments.trial(
        "optimizer.lr x 2", [(value, 1.0)], Outcome.HELPED, title=text, cause=text, says=text, effect=value
    )
    book.record(canonical.sick(), Treatment((odd,), odd), command=text, project=text or "p")
    (case,) = book.cases(cause=text)
    whole = text.encode("utf-8", "replace").decode()
    assert (case.command, case.cause, case.title, case.says) == (whole,) * 4
    assert case.effect == (None if math.isnan(value) else value)


def _write(path: str, times: int) -> None:
    for _ in range(times):
        record(Casebook(path), treatments.lost())


def test_two_writers_lose_nothing(book: Casebook) -> None:
    context = multiprocessing.get_context("fork")
    writers = [context.Process(target=_write, args=(str(book.place), 15)) for _ in range(3)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(120)
    assert [writer.exitcode for writer in writers] == [0, 0, 0]
    assert len(book.cases()) == 3 * 15 * 2


def test_a_reader_sees_whole_treatments_while_one_is_written(book: Casebook) -> None:
    record(book, treatments.lost())
    with closing(sqlite3.connect(book.place, isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("DELETE FROM cases")
        assert len(book.cases()) == 2
        writer.execute("ROLLBACK")


def test_a_writer_that_has_to_wait_too_long_says_so(book: Casebook, monkeypatch: pytest.MonkeyPatch) -> None:
    record(book)
    monkeypatch.setattr("traindx.trials.casebook._PATIENCE_SECONDS", 0.05)
    with closing(sqlite3.connect(book.place, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(TraindxError, match=r"cases\.db: .*locked.*; try again"):
            record(book)
    assert len(book.cases()) == 1


@pytest.mark.parametrize(
    "content", [b"not a database at all, but longer than its head" * 9, b"SQLite format 3\0" + b"x" * 5000]
)
def test_what_is_no_database_is_refused_and_left_alone(book: Casebook, content: bytes) -> None:
    book.place.parent.mkdir()
    book.place.write_bytes(content)
    for use in uses(book):
        with pytest.raises(TraindxError, match=r"cases\.db: not a casebook .*; move it"):
            use()
    assert book.place.read_bytes() == content


def test_a_casebook_that_lost_its_end_is_refused_and_left_alone(book: Casebook) -> None:
    for _ in range(40):
        record(book, treatments.won())
    content = book.place.read_bytes()[: 4096 * 3]
    assert len(content) == 4096 * 3
    book.place.write_bytes(content)
    with pytest.raises(TraindxError, match="not a casebook"):
        book.cases()
    with pytest.raises(TraindxError, match="not a casebook"):
        record(book, treatments.won())


def test_the_database_of_another_program_is_left_alone(book: Casebook) -> None:
    book.place.parent.mkdir()
    with closing(sqlite3.connect(book.place)) as other:
        other.execute("CREATE TABLE cases (id, secret)")
        other.commit()
    content = book.place.read_bytes()
    for use in uses(book):
        with pytest.raises(TraindxError, match="another program's database"):
            use()
    assert book.place.read_bytes() == content
    assert sorted(path.name for path in book.place.parent.iterdir()) == ["cases.db"]


def test_a_casebook_of_the_future_is_left_alone(book: Casebook) -> None:
    record(book)
    with closing(sqlite3.connect(book.place)) as later:
        later.execute("PRAGMA user_version = 2")
    for use in uses(book):
        with pytest.raises(TraindxError, match="version 2, but this traindx supports 1; update traindx"):
            use()


def test_what_a_crash_left_of_a_new_casebook_is_empty_and_can_be_written(book: Casebook) -> None:
    book.place.parent.mkdir()
    book.place.touch()
    assert book.cases() == []
    record(book)
    assert len(book.cases()) == 1


def test_no_folder_to_write_to_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(TraindxError, match="cannot open the casebook"):
        record(Casebook(tmp_path / "file" / "cases.db"))
    (tmp_path / "cases.db").mkdir()
    with pytest.raises(TraindxError, match="cannot open the casebook"):
        record(Casebook(tmp_path / "cases.db"))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_casebook_is_read_where_nothing_can_be_written(book: Casebook) -> None:
    record(book)
    folder = book.place.parent
    book.place.chmod(stat.S_IRUSR)
    folder.chmod(stat.S_IRUSR | stat.S_IXUSR)
    try:
        assert len(book.cases()) == 1
        with pytest.raises(TraindxError):
            record(book)
    finally:
        folder.chmod(stat.S_IRWXU)


def test_it_is_wal_and_stamped(book: Casebook) -> None:
    record(book)
    with closing(sqlite3.connect(book.place)) as connection:
        asked = [
            connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("journal_mode", "user_version")
        ]
    assert asked == ["wal", 1]
