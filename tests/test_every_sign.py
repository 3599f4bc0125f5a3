"""What all signs share is asserted here once, on recorded trainings that an expert has labelled."""

import re
from pathlib import Path

import pytest

from tests.recorded import cases, curve
from traindx import catalogue
from traindx.finding import Finding
from traindx.sign import Sign
from traindx.testing import check_sign

SAMPLE = tuple(case.id for case in cases())[::4]
# A loss of ln 2 is worth a guess among two only on its own scale, and a gradient is as large as its loss.
ABSOLUTE = {"loss_at_chance", "gradient_norm_vanishes"}
THRESHOLDS = Path(__file__).parents[1] / "bench" / "thresholds.md"


@pytest.mark.parametrize("sign", catalogue.signs(), ids=lambda sign: sign.slug)
def test_the_sign_conforms(sign: Sign) -> None:
    for name in SAMPLE:
        check_sign(sign, curve(name), scale_free=sign.slug not in ABSOLUTE)


@pytest.mark.parametrize("sign", catalogue.signs(), ids=lambda sign: sign.slug)
def test_every_limit_has_a_source(sign: Sign) -> None:
    page = THRESHOLDS.read_text(encoding="utf-8")
    for limit in sign.limits:
        anchor = re.search(r"bench/thresholds\.md#([a-z-]+)$", limit.source)
        assert anchor, f"{sign.slug}.{limit.name}: {limit.source}"
        assert f'<a id="{anchor[1]}"></a>' in page, f"{sign.slug}.{limit.name}: no entry {anchor[1]}"


@pytest.mark.parametrize("sign", catalogue.signs(), ids=lambda sign: sign.slug)
def test_a_yes_and_a_no_are_known(sign: Sign) -> None:
    """Every sign is seen in some real training and is absent from another."""
    answers = [sign(curve(case.id)) for case in cases()]
    assert any(isinstance(answer, Finding) for answer in answers), f"{sign.slug} is never seen"
    assert any(answer is None for answer in answers), f"{sign.slug} is never absent"
