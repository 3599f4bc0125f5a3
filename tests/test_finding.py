"""What a sign needs, facts included, and what its declaration is held to."""

from typing import Annotated

import numpy as np
import pytest

from traindx.facts import CHANCE_LOSS, INITIAL_LOSS, LOSS_SHAPES
from traindx.finding import Answer, CannotTell, Sign, sign
from traindx.quantities import TRAIN_LOSS
from traindx.run import Run, Series

LOSS = Series(TRAIN_LOSS, np.arange(3.0), np.ones(3))


@sign(needs=(TRAIN_LOSS, (CHANCE_LOSS, INITIAL_LOSS)))
def starts_high(run: Run, *, times: Annotated[float, "over chance"] = 2.0) -> Answer:
    """The loss starts high.

    More than a line is for readers of the code.
    """
    return None


@pytest.mark.parametrize(
    ("run", "missing"),
    [
        (Run("bare", ()), (TRAIN_LOSS, (CHANCE_LOSS, INITIAL_LOSS))),
        (Run("a log", (LOSS,)), ((CHANCE_LOSS, INITIAL_LOSS),)),
        (Run("a fact of others", (LOSS,), facts={LOSS_SHAPES: ""}), ((CHANCE_LOSS, INITIAL_LOSS),)),
        (Run("only facts", (), facts={CHANCE_LOSS: 1.1}), (TRAIN_LOSS,)),
    ],
    ids=lambda value: value.name if isinstance(value, Run) else "",
)
def test_a_fact_that_was_not_stated_was_not_recorded(run: Run, missing: tuple[object, ...]) -> None:
    assert starts_high.missing(run) == missing
    assert starts_high(run) is CannotTell.NOT_RECORDED


@pytest.mark.parametrize("fact", [CHANCE_LOSS, INITIAL_LOSS])
def test_one_of_several_is_enough(fact: object) -> None:
    run = Run(
        "a recording",
        (LOSS,),
        facts={alternative: 0.0 for alternative in (CHANCE_LOSS, INITIAL_LOSS) if alternative is fact},
    )
    assert starts_high.missing(run) == ()
    assert starts_high(run) is None


def test_a_declaration_is_read_off_the_function() -> None:
    assert isinstance(starts_high, Sign)
    assert starts_high.slug == "starts_high"
    assert starts_high.asks == "The loss starts high."
    assert [(limit.name, limit.value, limit.source) for limit in starts_high.limits] == [
        ("times", 2.0, "over chance")
    ]


def test_a_limit_gets_another_value_if_it_is_one() -> None:
    assert starts_high.limited({"times": 5.0}).limits[0].value == 5.0
    with pytest.raises(ValueError, match='check starts_high has no limit "share"; it has times'):
        starts_high.limited({"share": 0.5})
    with pytest.raises(ValueError, match="must be greater than 0"):
        starts_high.limited({"times": -1.0})


def test_a_sign_says_what_it_asks_and_where_its_limits_come_from() -> None:
    def unsaid(run: Run) -> Answer:
        return None

    def unfounded(run: Run, *, times: float = 2.0) -> Answer:
        """The loss starts high."""

    with pytest.raises(ValueError, match="check unsaid needs a docstring"):
        sign(needs=())(unsaid)
    with pytest.raises(ValueError, match="limit times has no source"):
        sign(needs=())(unfounded)
