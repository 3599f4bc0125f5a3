"""An interview on the terminal: what is asked, how belief moves, and what it comes to."""

from dataclasses import replace

from rich.console import Console
from rich.table import Table
from rich.text import Text

from traindx.diagnosis.types import Reason
from traindx.format import percent, printable
from traindx.interview.out_of_scope import Outside
from traindx.interview.questions.types import Question
from traindx.interview.types import CheckedClaim, Conclusion, Hypothesis, Move, Ranking, Stand
from traindx.report.terminal.diagnosis import print_experiment, print_reasons
from traindx.report.terminal.paper import indented, paper, printed, section

_BAR = 20
_SHOWN = 4
_LONG = 600
_TYPED = (
    ("a number", "the answer beside it; its own words do as well"),
    ("Enter", "I do not know"),
    ("a path", "reads a log, a run's folder, a script or a configuration in place of asking"),
    ("run CMD", "runs your program and records it, after you agreed"),
    ("claim WORDS", "checks what you hold for the cause"),
    ("q", "ends here, with what is known so far"),
)
_DEEPEST = 6
"""How far the tree is moved to the right at most."""
_STANDS = {
    Stand.HOLDS: "bold green",
    Stand.FAILS: "bold red",
    Stand.OPEN: "bold yellow",
    Stand.BESIDE: "dim",
}


def opening_text(*, width: int = 80, colour: bool = False) -> str:
    """What may be typed, before anything is asked."""
    console = paper(width, colour)
    console.print(Text.assemble("traindx · ", ("interview", "bold")))
    console.print()
    for typed, means in _TYPED:
        section(console, typed, means)
    console.print()
    return printed(console)


def question_text(question: Question, number: int, *, width: int = 80, colour: bool = False) -> str:
    """A question with its answers, numbered."""
    console = paper(width, colour)
    console.print(Text.assemble((f"{number}  ", "cyan"), (question.asks, "bold")))
    _choices(console, [one.says for one in question.choices])
    console.print(indented(Text(question.look, style="dim"), 3))
    return printed(console)


def menu_text(asks: str, entries: list[str], *, width: int = 80, colour: bool = False) -> str:
    """The first question: several entries may be chosen."""
    console = paper(width, colour)
    console.print(Text.assemble(("1  ", "cyan"), (asks, "bold")))
    _choices(console, entries)
    return printed(console)


def belief_text(move: Move, *, width: int = 80, colour: bool = False) -> str:
    """How the likeliest causes stand after an answer, and how far it moved them."""
    console = paper(width, colour)
    console.print(indented(_bars(move.after, move.before), 3))
    return printed(console)


def claim_text(checked: CheckedClaim, *, width: int = 80, colour: bool = False) -> str:
    """What the evidence says to a claim."""
    console = paper(width, colour)
    _claim(console, checked)
    return printed(console)


def conclusion_text(conclusion: Conclusion, *, width: int = 80, colour: bool = False, ask: str = "") -> str:
    """All that an interview comes to; `ask` is the command that would go on with it."""
    console = paper(width, colour)
    for matter in conclusion.consultation.outside:
        _outside(console, matter)
    # Who came with a claim alone wants to know about the claim; with a complaint, about its cause.
    complains = bool(conclusion.consultation.interview.complaints)
    if not complains:
        _claims(console, conclusion)
    if conclusion.hypotheses:
        console.print(Text(conclusion.says, style="bold"))
        console.print()
        console.print(indented(_bars(conclusion.consultation.ranking, None, len(conclusion.hypotheses)), 2))
        console.print()
        if complains or not conclusion.claims:
            if conclusion.stands_out:
                _why(console, conclusion.hypotheses[0])
                _change(console, conclusion.hypotheses[0])
            _walked(console, conclusion.consultation.moves)
            _claims(console, conclusion)
        _next(console, conclusion)
    elif not conclusion.claims and not conclusion.consultation.outside:
        console.print(Text(conclusion.says))
    if conclusion.question and ask:
        section(console, "not asked yet", f"{conclusion.question.asks} {ask}")
    section(console, "limits", *(printable(one, _LONG) for one in conclusion.limits))
    return printed(console)


def questions_text(questions: tuple[Question, ...], *, width: int = 80, colour: bool = False) -> str:
    """Every question with what it takes, for those who answer without being asked."""
    console = paper(width, colour)
    for question in questions:
        console.print(Text(question.asks, style="bold"))
        grid = Table.grid(padding=(0, 2, 0, 0))
        grid.add_column(no_wrap=True, style="cyan")
        grid.add_column(overflow="fold")
        for one in question.choices:
            grid.add_row(f"{question.slug}={one.slug}", Text(one.says))
        for field in question.fields:
            takes = ", ".join(field.words) if field.words else field.fact.meaning
            grid.add_row(f"{field.names[0]}=", Text(takes))
        console.print(indented(grid, 2))
        asked_for = ", ".join(one.slug for one in question.complaints)
        console.print(indented(Text(f"asked for {asked_for}", style="dim"), 2))
        console.print()
    return printed(console)


def _choices(console: Console, entries: list[str]) -> None:
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(justify="right", style="cyan", min_width=2)
    grid.add_column(overflow="fold")
    for place, entry in enumerate(entries, start=1):
        grid.add_row(str(place), Text(entry))
    console.print(indented(grid, 2))


def _bars(after: Ranking, before: Ranking | None, rows: int = _SHOWN) -> Table:
    """A bar for each of the likeliest causes, and how far the last answer moved it."""
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(no_wrap=True)
    grid.add_column(no_wrap=True, style="cyan")
    grid.add_column(no_wrap=True, justify="right")
    grid.add_column(no_wrap=True)
    for one in after.hypotheses[:rows]:
        change = None if before is None else one.confidence - before.share(one.cause.slug)
        grid.add_row(Text(one.cause.slug), _bar(one.confidence), percent(one.confidence), _moved(change))
    change = None if before is None else after.healthy - before.healthy
    grid.add_row(
        Text("nothing is wrong", style="dim"), _bar(after.healthy), percent(after.healthy), _moved(change)
    )
    return grid


def _bar(share: float) -> str:
    whole = round(share * _BAR)
    return "█" * whole + "░" * (_BAR - whole)


def _moved(change: float | None) -> Text:
    """By how many points of a hundred; nothing where it is less than one."""
    if change is None or abs(change) < 0.005:
        return Text("")
    return (
        Text(f"▲ +{100 * change:.0f}", style="red")
        if change > 0
        else Text(f"▼ {100 * change:.0f}", style="green")
    )


def _why(console: Console, top: Hypothesis) -> None:
    """The sum behind the likeliest cause."""
    print_reasons(console, f"why {top.cause.slug}", _together(top.reasons), with_places=False)
    console.print()


def _together(reasons: tuple[Reason, ...]) -> list[Reason]:
    """One line for an answer that speaks through several signs."""
    found: dict[str, Reason] = {}
    for one in reasons:
        before = found.get(one.says)
        found[one.says] = one if before is None else replace(one, points=before.points + one.points)
    return list(found.values())


def _change(console: Console, top: Hypothesis) -> None:
    fix = top.cause.fixes[0]
    section(console, "if so, change", Text(fix.title, style="bold"))
    section(console, "expect", fix.expect)
    section(console, "do not", *top.cause.what_not_to_do[:3])
    console.print()


def _walked(console: Console, moves: tuple[Move, ...]) -> None:
    """The tree that was walked: each answer below the one before it, and who led after it."""
    if not moves:
        return
    console.print(indented(Text("walked", style="dim")))
    table = Table.grid(padding=(0, 2, 0, 0), expand=True)
    table.add_column(ratio=1)
    table.add_column(no_wrap=True, justify="right", style="dim")
    for depth, move in enumerate(moves):
        top = move.after.top
        asked = Text.assemble((printable(move.asks, 200), "dim"), "\n", printable(move.says, _LONG))
        row = Table.grid(padding=(0, 1, 0, 0))
        row.add_row(Text("└" if depth else "", style="dim"), asked)
        leads = Text(f"\n{top.cause.slug} {percent(top.confidence)}")
        table.add_row(indented(row, 2 * min(depth, _DEEPEST)), leads)
    console.print(indented(table, 3))
    console.print()


def _next(console: Console, conclusion: Conclusion) -> None:
    """What to do next: the cheapest experiment, and commands."""
    print_experiment(console, conclusion.experiment)
    lines = [Text.assemble((printable(one.line), "cyan"), f"  {one.tells}") for one in conclusion.commands]
    section(console, "run next", *lines)


def _claims(console: Console, conclusion: Conclusion) -> None:
    for checked in conclusion.claims:
        _claim(console, checked)


def _claim(console: Console, checked: CheckedClaim) -> None:
    console.print(
        Text.assemble(
            (f'"{checked.claim.says}"', "bold"), "  ", (checked.stand.value, _STANDS[checked.stand])
        )
    )
    console.print(indented(Text(printable(checked.says, _LONG))))
    section(console, "because", *(printable(one, _LONG) for one in checked.because))
    if checked.usually and checked.stand in (Stand.FAILS, Stand.OPEN):
        section(console, "usually it is", ", ".join(one.slug for one in checked.usually[:5]))
    section(console, "would change it", *checked.changes_mind)
    console.print()


def _outside(console: Console, matter: Outside) -> None:
    console.print(Text.assemble(("another field  ", "bold yellow"), (matter.called, "bold")))
    section(console, "where to look", matter.look)
    section(console, "what is ours", *([matter.inside] if matter.inside else []))
    console.print()
