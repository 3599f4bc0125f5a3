"""The ranking of the bench is the product's, and the fit keeps what the causes say."""

from pathlib import Path
from random import Random

import pytest

pytest.importorskip("torch")

import torch

from corpus.fit import fit, sample, sureness, write_constants
from corpus.folds import splits
from corpus.points import PACKAGE, ClueTable, starting, write_causes, write_starting
from corpus.ranker import Ranker, asked
from corpus.table import NO, NOT_RECORDED, TOO_LITTLE, Row, coded, decoded, read, strength, write
from traindx.diagnosis import knowledge
from traindx.diagnosis.score import believe
from traindx.finding import CannotTell, Finding

SIGNS = [sign.slug for sign in knowledge.signs()]
CAUSES = ["lr-too-high", "overfitting", "dead-relu", "unnormalized-inputs", "gradients-not-cleared"]


def _codes(dice: Random) -> str:
    return "".join(dice.choice([NO] * 6 + [TOO_LITTLE, NOT_RECORDED, "5", "f", "z"]) for _ in SIGNS)


def _rows(count: int = 60) -> list[Row]:
    dice = Random(3)
    return [
        Row(
            id=f"{number}",
            task=dice.choice("abcdef"),
            family=dice.choice("uvwxyz"),
            optimizer="sgd",
            cause="",
            severity=0.5,
            harm=1.5,
            label=dice.choice(["healthy", *CAUSES]),
            full=_codes(dice),
            log=_codes(dice),
            peers="",
        )
        for number in range(count)
    ]


def test_the_bench_believes_what_the_product_believes() -> None:
    ranker, rows = Ranker(SIGNS), _rows()
    shares = ranker.beliefs(ranker.declared, asked([row.full for row in rows])).exp()
    for row, told in zip(rows, shares, strict=True):
        found = believe(decoded(row.full, SIGNS), ranker.causes, sureness=1.0)
        expected = [found.healthy, *(found.shares[cause] for cause in ranker.causes)]
        assert told.tolist() == pytest.approx(expected, abs=1e-9)


def test_answers_survive_being_written_down(tmp_path: Path) -> None:
    rows = _rows(5)
    write(rows, tmp_path / "answers.csv")
    assert read(tmp_path / "answers.csv") == (SIGNS, rows)
    again = decoded(rows[0].full, SIGNS)
    assert "".join(coded(again[slug]) for slug in SIGNS) == rows[0].full


def test_an_answer_is_one_character() -> None:
    evidence = next(
        one for one in decoded("z" * len(SIGNS), SIGNS).values() if isinstance(one, Finding)
    ).evidence
    assert [coded(None), coded(CannotTell.TOO_LITTLE), coded(CannotTell.NOT_RECORDED)] == list(".-_")
    for value in (0.01, 0.3, 0.5, 1.0):
        assert strength(coded(Finding(value, "so", evidence))) == pytest.approx(value, abs=0.02)


def test_a_clue_for_stays_for_and_what_counted_nothing_counts_nothing() -> None:
    ranker, rows = Ranker(SIGNS), _rows()
    points = fit(ranker, sample(ranker, rows), close=0.0001, steps=30)
    for now, before in ((points.seen, ranker.starting.seen), (points.unseen, ranker.starting.unseen)):
        assert torch.equal(now.sign(), before.sign())
    assert not torch.allclose(points.seen, ranker.starting.seen, atol=0.1)


def test_points_that_are_held_tight_stay_where_they_started() -> None:
    ranker, rows = Ranker(SIGNS), _rows()
    points = fit(ranker, sample(ranker, rows), close=100.0, steps=30)
    assert torch.allclose(points.seen, ranker.starting.seen, atol=0.1)


def test_fitting_makes_the_right_hypothesis_likelier() -> None:
    ranker, rows = Ranker(SIGNS), _rows()
    runs = sample(ranker, rows)

    def likelihood(points: object) -> float:
        told = ranker.beliefs(points, runs.answers).gather(1, runs.labels[:, None])  # type: ignore[arg-type]
        return float(told[torch.isfinite(told)].mean())

    assert likelihood(fit(ranker, runs, steps=40)) > likelihood(ranker.starting) + 0.1


def test_no_run_is_scored_by_points_that_have_seen_its_task_or_family() -> None:
    rows = _rows(200)
    scored = []
    for fitted, tested in splits(rows):
        assert not {rows[n].family for n in fitted} & {rows[n].family for n in tested}
        assert not {rows[n].task for n in fitted} & {rows[n].task for n in tested}
        scored += tested
    assert sorted(scored) == list(range(200))


def test_shares_that_are_too_sure_are_made_less_so() -> None:
    # Two hypotheses at 0.99 and 0.01; the first is true in three of four.
    shares = torch.tensor([[0.99, 0.01]] * 400, dtype=torch.float64).log()
    labels = torch.tensor([0, 0, 0, 1] * 100)
    factor = sureness(shares, labels)
    assert float(torch.softmax(shares * factor, 1)[0, 0]) == pytest.approx(0.8, abs=0.05)


def test_the_fit_keeps_the_direction_that_authors_gave_a_clue() -> None:
    ranker = Ranker(SIGNS)
    for now, before in (
        (ranker.declared.seen, ranker.starting.seen),
        (ranker.declared.unseen, ranker.starting.unseen),
    ):
        assert torch.equal(now.sign(), before.sign())


def test_a_cause_file_takes_new_points_and_nothing_else_changes(tmp_path: Path) -> None:
    (tmp_path / "causes").mkdir()
    file = tmp_path / "causes" / "dead_relu.py"
    text = (PACKAGE / "causes" / file.name).read_text(encoding="utf-8")
    file.write_text(text, encoding="utf-8")
    ranker = Ranker(SIGNS)
    table = ranker.tables(ranker.declared)["dead-relu"]
    write_causes({"dead-relu": table}, tmp_path)
    assert file.read_text(encoding="utf-8") == text
    write_causes({"dead-relu": ClueTable(-1.234, table.clues)}, tmp_path)
    assert file.read_text(encoding="utf-8") == text.replace(f"prior={table.prior:+.2f}", "prior=-1.23")


def test_a_clue_that_is_not_listed_starts_from_what_its_file_says(tmp_path: Path) -> None:
    path = tmp_path / "starting_points.json"
    write_starting({"dead-relu": ClueTable(-4.0, {"units_die": (2.0, -1.0)})}, path)
    declared = {"dead-relu": ClueTable(-3.0, {"units_die": (1.5, -0.5), "loss_falls": (0.5, 0.0)})}
    expected = ClueTable(-4.0, {"units_die": (2.0, -1.0), "loss_falls": (0.5, 0.0)})
    assert starting(declared, path) == {"dead-relu": expected}


def test_a_constant_is_replaced_by_name(tmp_path: Path) -> None:
    file = tmp_path / "calibration.py"
    file.write_text("RECORDING = 0.85\nLOG = 0.78\n", encoding="utf-8")
    write_constants({"LOG": 0.5}, file)
    assert file.read_text(encoding="utf-8") == "RECORDING = 0.85\nLOG = 0.50\n"
