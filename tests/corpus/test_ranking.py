"""The ranking of the bench is the product's, and the fit keeps what the causes say."""

from pathlib import Path
from random import Random

import pytest

pytest.importorskip("torch")

import torch

from corpus.fit import as_json, fit, sample, sureness
from corpus.folds import splits
from corpus.ranker import Points, Ranker, asked
from corpus.table import NO, NOT_RECORDED, TOO_LITTLE, Row, coded, decoded, read, strength, write
from traindx.diagnosis import knowledge
from traindx.diagnosis.calibration import HEALTH, clues_of, prior_of
from traindx.diagnosis.health import HEALTHY_CLUES, HEALTHY_PRIOR
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
    ranker, rows = Ranker(SIGNS, knowledge.causes()), _rows()
    shares = ranker.beliefs(_in_force(ranker), asked([row.full for row in rows])).exp()
    for row, told in zip(rows, shares, strict=True):
        found = believe(decoded(row.full, SIGNS), ranker.causes, sureness=1.0)
        expected = [found.healthy, *(found.shares[cause] for cause in ranker.causes)]
        assert told.tolist() == pytest.approx(expected, abs=1e-9)


def _in_force(ranker: Ranker) -> Points:
    """The points of the causes as the ranker has them, and those of health as the product has them."""
    given = ranker.by_hand
    health = clues_of(HEALTH, HEALTHY_CLUES)
    priors, seen, unseen = given.priors.clone(), given.seen.clone(), given.unseen.clone()
    priors[0] = prior_of(HEALTH, HEALTHY_PRIOR)
    columns = ranker.columns(0)
    seen[columns] = torch.tensor([clue.seen for clue in health], dtype=torch.float64)
    unseen[columns] = torch.tensor([clue.unseen for clue in health], dtype=torch.float64)
    return Points(priors, seen, unseen)


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
    for now, before in ((points.seen, ranker.by_hand.seen), (points.unseen, ranker.by_hand.unseen)):
        assert torch.equal(now.sign(), before.sign())
    assert not torch.allclose(points.seen, ranker.by_hand.seen, atol=0.1)


def test_points_that_are_held_tight_stay_where_the_hand_set_them() -> None:
    ranker, rows = Ranker(SIGNS), _rows()
    points = fit(ranker, sample(ranker, rows), close=100.0, steps=30)
    assert torch.allclose(points.seen, ranker.by_hand.seen, atol=0.1)


def test_fitting_makes_the_right_hypothesis_likelier() -> None:
    ranker, rows = Ranker(SIGNS), _rows()
    runs = sample(ranker, rows)

    def likelihood(points: object) -> float:
        told = ranker.beliefs(points, runs.answers).gather(1, runs.labels[:, None])  # type: ignore[arg-type]
        return float(told[torch.isfinite(told)].mean())

    assert likelihood(fit(ranker, runs, steps=40)) > likelihood(ranker.by_hand) + 0.1


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


def test_what_is_written_is_what_the_product_reads() -> None:
    ranker = Ranker(SIGNS)
    text = as_json(ranker, ranker.by_hand, {"recording": 0.8, "log": 0.7})
    for cause in knowledge.set_by_hand():
        assert f'"{cause.slug}"' in text
