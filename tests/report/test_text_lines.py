import ast

import pytest

from traindx.diagnosis import knowledge
from traindx.report.text_lines import fitted

CODES = [(cause.slug, fix.code) for cause in knowledge.causes() for fix in cause.fixes if fix.code]


def test_what_fits_is_left_alone() -> None:
    assert fitted("if x:\n    y = 1  # why", 60) == "if x:\n    y = 1  # why"


def test_a_comment_moves_above_its_line() -> None:
    assert fitted("    step()  # after the gradients", 20) == "    # after the\n    # gradients\n    step()"


def test_a_long_statement_goes_on_further_to_the_right() -> None:
    assert (
        fitted("  train(model, optimizer=optimizer)", 20) == "  train(model,\n          optimizer=optimizer)"
    )


def test_a_call_without_a_blank_goes_on_after_its_bracket() -> None:
    assert fitted("long_function(argument, x)", 20) == "long_function(\n        argument, x)"


def test_a_break_that_does_not_help_is_not_made() -> None:
    quoted = 'print("a text that is longer than the width")'
    assert fitted(quoted, 20) == quoted


@pytest.mark.parametrize(("slug", "code"), CODES)
def test_the_code_of_every_fix_fits_and_means_the_same(slug: str, code: str) -> None:
    shown = fitted(code, 76)
    assert all(len(line) <= 76 or '"' in line for line in shown.splitlines())
    assert ast.dump(ast.parse(shown)) == ast.dump(ast.parse(code))
