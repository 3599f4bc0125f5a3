"""A program that left nothing to diagnose, as a page."""

from traindx.recorder.launch.outcome import Silence
from traindx.report.blocks import Command, Headline, Page, Paragraph, Tone


def page(silence: Silence, program: str, exit_code: int) -> Page:
    """Its own last words where it crashed, else why nothing was seen of it."""
    says = Paragraph(f"{silence.todo[:1].upper()}{silence.todo[1:]}.")
    if silence.crash:
        return Page("crashed · traindx", (Headline("CRASHED", silence.crash, f"exit code {exit_code}"), says))
    headline = Headline(
        "NOTHING RECORDED", f"{program} ended (exit code {exit_code}): {silence.what}", "", Tone.DOUBT
    )
    following = Command("next", "traindx diagnose train.log", "if it prints or logs its loss")
    return Page("nothing recorded · traindx", (headline, says, following))
