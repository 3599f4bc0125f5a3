"""Diffs as reports show them: the changed lines, and what a line is moved across, as wide as the screen."""

import pytest

from traindx.report import text
from traindx.report.blocks import Diff, Page
from traindx.report.fix import changed_lines
from traindx.report.text_lines import cells

LOOP = "for x, y in loader:\n    optimizer.step()\n    scheduler.step()\n{between}for x, y in z:\n    f(x)\n"


def moved(between: int) -> tuple[int, tuple[str, ...]]:
    """A line that leaves a loop with some lines below it."""
    lines = "".join(f"    total += {index}\n" for index in range(between))
    before = LOOP.format(between=lines)
    after = before.replace("    scheduler.step()\n", "").replace(
        "for x, y in z", "scheduler.step()\nfor x, y in z"
    )
    return changed_lines(before, after)


def test_a_moved_line_is_shown_with_what_it_is_moved_across() -> None:
    assert moved(1) == (3, ("-    scheduler.step()", "     total += 0", "+scheduler.step()"))
    assert moved(9) == (3, ("-    scheduler.step()", "  ...", "     total += 8", "+scheduler.step()"))


def test_a_line_that_is_only_indented_otherwise_has_no_context() -> None:
    assert moved(0) == (3, ("-    scheduler.step()", "+scheduler.step()"))


@pytest.mark.parametrize("width", [60, 80, 120])
def test_no_line_of_a_diff_is_wider_than_the_screen(width: int) -> None:
    call = (
        "loss = ((1 - torch.softmax(net(x), 1).gather(1, y.unsqueeze(1)).clamp_min(1e-7) ** 0.7) / 2).mean()"
    )
    quote = f"name = '{'x' * 200}'"
    shown = text.write(
        Page("", (Diff((f"-        {quote}", f"+        {call}", f"+        {quote}")),)), width=width
    )
    assert max(map(cells, shown.splitlines())) <= width
    added = [
        line.strip().removeprefix("+").strip() for line in shown.splitlines() if line.startswith("    +")
    ]
    assert "".join(added).replace(" ", "").startswith(call.replace(" ", ""))
