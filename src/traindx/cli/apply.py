"""`traindx apply`: write a proven patch into the source, without running trials again."""

import argparse

from traindx.cli import DONE
from traindx.cli._options import add_option

TYPE_CHECKING = False  # as typing has it, without the 5 ms that importing typing takes
if TYPE_CHECKING:
    from pathlib import Path

    from traindx.trials.proof import Proof

HELP = "apply the patch that an earlier treatment proved, after asking"
EXAMPLES = """\
  traindx apply                                the patch that was proven last
  traindx apply train-1                        the patch of one treatment
  traindx apply --yes train-1                  without asking, for scripts
  traindx apply --undo train-1                 put the file back as it was

Runs no trials. The file as it was is kept next to it. A file that changed since the trials is not touched."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of apply."""
    parser.add_argument("name", nargs="?", metavar="NAME", help="a treatment (default: the last proven one)")
    add_option(parser, "--undo", "take the patch back")
    add_option(parser, "--yes", "don't ask")
    add_option(parser, "--force", "apply even if git has uncommitted changes of the file")
    add_option(
        parser,
        "--out DIR",
        "where treatments are kept (default: .traindx/treatments)",
        default=".traindx/treatments",
    )


def run(arguments: argparse.Namespace) -> int:
    """Show the patch, ask, and write it; 2 where there is none, or it does not fit any more."""
    import sys
    from pathlib import Path

    from traindx.cli._patch import Consent, apply_patch, undo_patch
    from traindx.errors import TraindxError
    from traindx.trials.casebook import Casebook
    from traindx.trials.proof import applied, read_proof, write_proof

    folder = _folder(Path(arguments.out), arguments.name)
    proof = read_proof(folder)
    consent = Consent(arguments.yes, arguments.force)
    name = folder.name
    if arguments.undo:
        if not proof.backup:
            raise TraindxError(f"{name}: its patch is not applied; apply it first: traindx apply {name}")
        if undo_patch(proof.patch, Path(proof.backup), consent):
            write_proof(folder, applied(proof, None))
            Casebook().note_applied(name, is_applied=False)
            sys.stderr.write(f"undone; apply it again with: traindx apply {name}\n")
        return DONE
    if proof.backup:
        raise TraindxError(f"{name}: already applied; undo it with: traindx apply --undo {name}")
    _show(proof)
    backup = apply_patch(proof.patch, consent, "Apply?")
    if backup is None:
        sys.stderr.write("not applied\n")
        return DONE
    write_proof(folder, applied(proof, backup))
    Casebook().note_applied(name, is_applied=True)
    sys.stderr.write(f"applied; undo with: traindx apply --undo {name}\n")
    return DONE


def _folder(out: "Path", name: str | None) -> "Path":
    """The folder of a treatment: the one named, else the last that proved a patch."""
    from traindx.errors import TraindxError, UnknownNameError
    from traindx.trials.proof import treatments_in

    known = treatments_in(out)
    if name is None:
        if not known:
            todo = "prove a fix first: traindx treat train.py"
            raise TraindxError(f"no treatment in {out} proved a patch; {todo}")
        return known[-1]
    if not (out / name).is_dir():
        names = [folder.name for folder in known]
        raise UnknownNameError("treatment", name, names, todo=f"{out} holds the treatments")
    return out / name


def _show(proof: "Proof") -> None:
    """The file and line, the changed lines, and what is known of them."""
    import sys

    from traindx.cli._output import colored, takes_unicode, terminal_width
    from traindx.format import duration
    from traindx.report import text
    from traindx.report.blocks import Diff, Entry, Page, Tone
    from traindx.report.fix import PROVEN, changed_lines, nearby

    line, lines = changed_lines(proof.patch.before, proof.patch.after)
    known = f"{PROVEN} · {proof.verdict} · {duration(proof.age)} ago"
    head = Entry("PATCH", f"{nearby(proof.patch.path)}:{line}", known, Tone.STRONG)
    page = Page("patch", (head, Diff(lines)))
    width, color = terminal_width(sys.stderr), colored(sys.stderr)
    shown = text.write(page, width=width, color=color, everything=True, unicode=takes_unicode(sys.stderr))
    sys.stderr.write(shown)
