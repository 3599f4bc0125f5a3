"""A program that left nothing to diagnose, as a page."""

import signal

from traindx.format import capitalized
from traindx.recorder.launch.child import Ending
from traindx.recorder.launch.outcome import Silence, signal_name
from traindx.report.blocks import Command, Headline, Page, Paragraph, Tone


def page(silence: Silence, program: str, ending: Ending) -> Page:
    """Its own last words if it crashed, else why nothing was seen of it."""
    headline, says = _headline(silence, program, ending), Paragraph(f"{capitalized(silence.todo)}.")
    if silence.crash:
        return Page("crashed · traindx", (headline, says))
    following = Command("next", "traindx diagnose train.log", "if it prints or logs its loss")
    return Page("nothing recorded · traindx", (headline, says, following))


def summary(silence: Silence, program: str, ending: Ending) -> str:
    """One line: what became of the program."""
    headline = _headline(silence, program, ending)
    return f"{headline.word} · {headline.title}"


def how_it_ended(ending: Ending) -> str:
    """The end of a program after its name: "finished (exit code 0)"."""
    if ending.signal is None:
        return f"finished (exit code {ending.code})"
    interrupted = ending.signal == signal.SIGINT
    return "was interrupted" if interrupted else f"was killed by {signal_name(ending.signal)}"


def _headline(silence: Silence, program: str, ending: Ending) -> Headline:
    if silence.crash:
        return Headline("CRASHED", silence.crash)
    says = f"{program} {how_it_ended(ending)} {silence.what}"
    return Headline("NOTHING RECORDED", says, "", Tone.DOUBT)
