"""What all signs share is asserted here once, on recorded trainings that an expert has labeled."""

import re
from dataclasses import replace
from functools import cache
from importlib import import_module
from itertools import cycle
from pathlib import Path

import numpy as np
import pytest

from tests.recorded import cases, curve
from tests.resumed import resumed
from tests.signs.policies import CASES as POLICIES
from tests.signs.policies import Training, trained
from tests.twins import twin_of
from traindx.diagnosis import knowledge
from traindx.facts import LEARNING_RATE_BEFORE, LOSS_BEFORE, RANKS_APART
from traindx.finding import Answer, Finding, Sign
from traindx.quantities import RECORDED_ONLY, REWARD, TRAIN_SCORE
from traindx.run import Fact, Run, Series
from traindx.signs.evaluations import score_near_nothing
from traindx.testing import check_sign

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tests.signs.inside import Case

SAMPLE = tuple(case.id for case in cases())[::4]
FEW = SAMPLE[::4]
THIRDS = tuple(slice(first, None, 3) for first in range(3))
"""A third of the variants for each run, by turns; `make test-all` tries all of them on all runs."""
# A loss of ln 2 is worth a guess among two only on its own scale, and a gradient is as large as its loss.
ABSOLUTE = {"loss_at_chance", "gradient_norm_vanishes"}
RECORDED = ("updates_large", "targets_not_finite", "attention_scores_grow", "validated_in_train_mode")
"""Signs whose broken trainings stand for all recordings."""
THRESHOLDS = Path(__file__).parents[1] / "bench" / "thresholds.md"


OF_LOGS = {sign.slug for sign in knowledge.signs() if {LOSS_BEFORE, LEARNING_RATE_BEFORE} & set(sign.needs)}
"""Signs whose facts are read from a log that was resumed: nobody needs to look inside."""
OF_RANKS = {sign.slug for sign in knowledge.signs() if RANKS_APART in sign.needs}
"""Signs of several processes, which tests/causes/test_replicas_disagree.py starts."""


@cache
def trainings() -> "tuple[Case, ...]":
    """The trainings that signs which look inside were written for: each broken, and repaired."""
    pytest.importorskip("torch")
    tables = [
        import_module(f"tests.signs.test_inside_{name}") for name in ("data", "layers", "loss", "steps")
    ]
    return tuple(case for table in tables for case in table.CASES)


def broken(slug: str) -> Run:
    """The first recording in which a sign is to be seen."""
    from tests.trainings import recorded

    return recorded(next(case.broken for case in trainings() if case.slug == slug))


def logged(slug: str) -> list[Run]:
    """Logs in which a sign is to be seen and in which it is not, where no curve has it."""
    if slug in POLICIES:
        return [trained(how) for how in POLICIES[slug]]
    if slug == score_near_nothing.slug:
        return [scored(Training()), scored(Training(learns=False))]
    if slug in OF_RANKS:
        twin = twin_of("replicas-disagree")
        return [twin.broken(), twin.fixed()]
    return [resumed(keeps_schedule=False), resumed(keeps_model=False)] if slug in OF_LOGS else []


def scored(how: Training) -> Run:
    """A policy whose share of right tokens is its score."""
    run = trained(how)
    right = np.clip(run[REWARD].values, 0, 1)
    return replace(run, series=(Series(TRAIN_SCORE, run[REWARD].steps, right, part="success_rate"),))


def is_told_apart(slug: str) -> bool:
    """Whether a test of tests/signs sees it in a broken training, and not in the repaired one."""
    return any(case.slug == slug for case in trainings())


@pytest.mark.parametrize("sign", knowledge.signs(), ids=lambda sign: sign.slug)
def test_the_sign_conforms(sign: Sign) -> None:
    for name, variants in zip(FEW, cycle(THIRDS), strict=False):
        check_sign(sign, curve(name), scale_free=sign.slug not in ABSOLUTE, variants=variants)


@pytest.mark.slow
@pytest.mark.parametrize("sign", knowledge.signs(), ids=lambda sign: sign.slug)
def test_the_sign_conforms_on_many_curves(sign: Sign) -> None:
    for name in SAMPLE:
        check_sign(sign, curve(name), scale_free=sign.slug not in ABSOLUTE)


@pytest.mark.parametrize("sign", knowledge.signs(), ids=lambda sign: sign.slug)
def test_the_sign_conforms_on_recordings(sign: Sign) -> None:
    for slug, variants in zip(RECORDED, cycle(THIRDS), strict=False):
        check_sign(sign, broken(slug), scale_free=sign.slug not in ABSOLUTE, variants=variants)


@pytest.mark.parametrize("sign", knowledge.signs(), ids=lambda sign: sign.slug)
def test_every_limit_has_a_source(sign: Sign) -> None:
    page = THRESHOLDS.read_text(encoding="utf-8")
    for limit in sign.limits:
        anchor = re.search(r"bench/thresholds\.md#([a-z-]+)$", limit.source)
        assert anchor, f"{sign.slug}.{limit.name}: {limit.source}"
        assert f'<a id="{anchor[1]}"></a>' in page, f"{sign.slug}.{limit.name}: no entry {anchor[1]}"


@pytest.mark.parametrize("sign", knowledge.signs(), ids=lambda sign: sign.slug)
def test_a_yes_and_a_no_are_known(sign: Sign) -> None:
    """Every sign is seen in some real training and is absent from another."""
    answers = [sign(curve(case.id)) for case in cases()]
    if not is_known(answers):
        answers += [sign(run) for run in logged(sign.slug)]
    assert is_known(answers) or is_told_apart(sign.slug), f"{sign.slug} is never seen, or never absent"


def is_known(answers: list[Answer]) -> bool:
    return None in answers and any(isinstance(answer, Finding) for answer in answers)


@pytest.mark.parametrize("sign", knowledge.signs(), ids=lambda sign: sign.slug)
def test_a_sign_that_looks_inside_has_trainings_of_its_own(sign: Sign) -> None:
    """Curves alone cannot show whether it tells a fault from what looks like it."""
    needs = {
        alternative for need in sign.needs for alternative in (need if isinstance(need, tuple) else (need,))
    }
    if sign.slug not in OF_LOGS | OF_RANKS and any(isinstance(n, Fact) or n in RECORDED_ONLY for n in needs):
        assert is_told_apart(sign.slug)
