import pytest

from traindx.diagnosis import knowledge
from traindx.errors import UnknownNameError
from traindx.finding import Sign
from traindx.settings import limits_from

RENAMED = [sign for sign in knowledge.signs() if sign.formerly]


def test_former_slugs_are_no_slugs_of_other_signs() -> None:
    assert RENAMED
    former = [sign.formerly for sign in RENAMED]
    assert len(set(former)) == len(former)
    assert {sign.slug for sign in knowledge.signs()}.isdisjoint(former)


@pytest.mark.parametrize("sign", RENAMED, ids=lambda sign: sign.formerly)
def test_a_former_slug_names_the_sign(sign: Sign) -> None:
    assert knowledge.sign_named(sign.formerly) is sign
    assert knowledge.unit_named(sign.formerly) is sign


def test_a_limit_of_a_former_slug_is_set() -> None:
    assert limits_from(["rate_above_usual.times=5"], {}) == limits_from(["lr_above_typical.times=5"], {})
    with pytest.raises(UnknownNameError, match="did you mean lr_above_typical"):
        limits_from(["lr_above_typcal.times=5"], {})
