"""`traindx apply`: write a proven patch into the source, without running trials again."""

import argparse

from traindx.cli import DONE
from traindx.cli._options import add_option

TYPE_CHECKING = False  # as typing has it, without the 5 ms that importing typing takes
if TYPE_CHECKING:
    from pathlib import Path

    from traindx.cli._patch import Consent
    from traindx.trials.proof import Proof

HELP = "apply the patch that an earlier treatment proved, after asking"
EXAMPLES = """\
  traindx apply                                the patch that was proven last
  traindx apply train-1                        the patch of one treatment
  traindx apply --yes train-1                  without asking, for scripts
  traindx apply --undo train-1                 put the file back as it was

Runs no trials. The file as it was is kept next to it. A file that changed since the trials is not touched.
Where the fix is on the command line, prints the command to type."""


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
    from pathlib import Path

    from traindx.cli._patch import Consent
    from traindx.trials.proof import read_proof

    folder = _folder(Path(arguments.out), arguments.name, arguments.undo)
    proof, consent = read_proof(folder), Consent(arguments.yes, arguments.force)
    if arguments.undo:
        _undo(folder, proof, consent)
    else:
        _apply(folder, proof, consent)
    return DONE


def _apply(folder: "Path", proof: "Proof", consent: "Consent") -> None:
    from traindx.cli._patch import apply_patch, name_for_apply, tell_command
    from traindx.errors import TraindxError

    name = name_for_apply(folder)
    if proof.backup:
        raise TraindxError(f"{folder.name}: already applied; undo it with: traindx apply --undo {name}")
    _show(proof)
    if proof.patch.arguments is not None:
        tell_command(proof.patch)
        return
    backups = apply_patch(proof.patch, consent, "Apply?")
    if not backups:
        _say("not applied")
        return
    _note(folder, proof, backups)
    _say(f"applied; undo with: traindx apply --undo {name}")


def _undo(folder: "Path", proof: "Proof", consent: "Consent") -> None:
    from pathlib import Path

    from traindx.cli._patch import name_for_apply, undo_patch
    from traindx.errors import TraindxError

    name = name_for_apply(folder)
    if not proof.backup:
        raise TraindxError(f"{folder.name}: its patch is not applied; apply it first: traindx apply {name}")
    if not undo_patch(proof.patch, [*map(Path, (proof.backup, *proof.more_backups))], consent):
        _say("not undone")
        return
    _note(folder, proof, [])
    _say(f"undone; apply it again with: traindx apply {name}")


def _note(folder: "Path", proof: "Proof", backups: "list[Path]") -> None:
    """Keep what has become of a patch, with its proof and in the casebook."""
    from traindx.cli._output import complain
    from traindx.errors import TraindxError
    from traindx.trials.casebook import Casebook
    from traindx.trials.proof import applied, write_proof

    write_proof(folder, applied(proof, backups))
    try:
        Casebook().note_applied(folder.name, is_applied=bool(backups))
    except TraindxError as error:
        # What was done to the file counts without its case.
        complain("apply", error)


def _say(sentence: str) -> None:
    import sys

    sys.stderr.write(f"{sentence}\n")


def _folder(out: "Path", name: str | None, undo: bool) -> "Path":
    """The folder of a treatment: the one named, else the last that proved a patch, or was applied."""
    from traindx.errors import TraindxError, UnknownNameError
    from traindx.trials.proof import applied_in, last_unpatched, treatments_in

    known = applied_in(out) if undo and name is None else treatments_in(out)
    if name and (out / name).is_dir():
        return out / name
    if name is not None and known:
        raise UnknownNameError("treatment", name, [folder.name for folder in known])
    if not undo and (unpatched := last_unpatched(out)) is not None:
        return unpatched
    if not known:
        todo = "traindx apply applies one" if undo else "prove a fix first: traindx treat train.py"
        raise TraindxError(f"no {'applied' if undo else 'proven'} patch in {out}; {todo}")
    return known[-1]


def _show(proof: "Proof") -> None:
    """The file and line, the changed lines, and what is known of them."""
    import sys

    from traindx.cause import Safety
    from traindx.cli._output import text_for
    from traindx.format import duration
    from traindx.report.blocks import Block, Diff, Entry, Page, Tone
    from traindx.report.fix import COMMAND_LINE, PROVEN, SAFETY, changed_lines, nearby

    # A patch that does something else than the change that was tried is not proven by it.
    safety = SAFETY[Safety.ASK] if proof.reproduced is False else PROVEN
    known = f"{safety} · {proof.verdict} · {duration(proof.age)} ago"
    blocks: list[Block] = []
    for file in proof.patch.files:
        line, lines = changed_lines(file.before, file.after)
        where = COMMAND_LINE if file.arguments is not None else f"{nearby(file.path)}:{line}"
        blocks += [Entry("PATCH", where, known if not blocks else "", Tone.STRONG), Diff(lines)]
    sys.stderr.write(text_for(Page("patch", tuple(blocks)), sys.stderr))
