"""How many steps the program is going to take: by the loops around its optimizer step, or by its trainer.

How often a loop goes round is taken from what it goes over: a range of numbers that can be read without
running anything, or something that has a length. Where the outermost loop goes round while we look, the steps
of its first round are counted.
"""

from torch.optim import Optimizer

from traindx.changes.live.loops import Loop, loops_around, trainer_around
from traindx.changes.live.program import Program

NAME = "length"


def begin(program: Program) -> None:
    """Look at the loops around the first steps."""
    first: list[Loop] = []
    told: dict[str, object] = {}

    def look(_: Optimizer) -> None:
        if "round" in told or "trainer" in told or "problem" in told:
            return
        try:
            news = _news(first, program.taken)
        except Exception as error:  # the frames of a program may hold anything
            news = {"problem": f"its loops could not be read ({type(error).__name__}: {error})"}
        if news:
            told.update(news)
            program.keep(NAME, told)

    program.before_step(look)


def _news(first: list[Loop], taken: int) -> dict[str, object]:
    """What a step tells that the ones before did not."""
    if not taken:
        trainer = trainer_around()
        if trainer is not None:
            return {"trainer": trainer.name, "steps": trainer.steps, "epochs": trainer.epochs}
        first[:] = loops_around()
        return {"times": [one.times for one in first]}
    loops = loops_around()
    is_next = first and loops and isinstance(first[0].at, int | float | str) and first[0].at != loops[0].at
    return {"round": taken} if is_next else {}
