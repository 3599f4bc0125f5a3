"""The tutorial, walked through as its reader would."""

import importlib.util
import re
import shutil
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

DOCS = Path(__file__).parents[1] / "docs"


@cache
def walking() -> ModuleType:
    spec = importlib.util.spec_from_file_location("walking", DOCS / "walking.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("git"), reason="the tutorial applies its patch with git")
def test_every_block_of_the_tutorial_does_what_it_says(tmp_path: Path) -> None:
    page = (DOCS / "tutorial.md").read_text(encoding="utf-8")
    _, steps = walking().walk(page, tmp_path)
    # All but the program itself, which is written to a file.
    assert len(steps) == len(re.findall(r"(?m)^```(?:console|python)$", page)) - 1 > 8
    assert [step.problem for step in steps if step.problem] == []


def test_a_page_that_says_something_else_is_found_out(tmp_path: Path) -> None:
    page = "```console\n$ echo the loss falls\nthe loss rises and the run is sick\n```\n"
    fresh, (step,) = walking().walk(page, tmp_path)
    assert "and the product" in step.problem
    assert fresh == "```console\n$ echo the loss falls\nthe loss falls\n```\n"
    _, (step,) = walking().walk(fresh, tmp_path)
    assert step.problem == ""


def test_what_has_to_be_said_is_missed(tmp_path: Path) -> None:
    page = "<!-- says: HEALTHY -->\n```console\n$ echo SICK\nSICK\n```\n"
    _, (step,) = walking().walk(page, tmp_path)
    assert 'does not say "HEALTHY"' in step.problem


def test_numbers_and_curves_may_differ(tmp_path: Path) -> None:
    page = "```console\n$ echo 'loss 0.31 ⠒⠒ after 12 s'\nloss 0.29 ⡇ after 8 s\n```\n"
    _, (step,) = walking().walk(page, tmp_path)
    assert step.problem == ""
