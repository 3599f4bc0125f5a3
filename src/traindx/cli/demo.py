"""`traindx demo`: the main job on a bundled training that fails."""

import argparse

from traindx.cli._options import add_option
from traindx.errors import TraindxError

TYPE_CHECKING = False  # as typing has it, without the 5 ms that importing typing takes
if TYPE_CHECKING:
    from pathlib import Path

HELP = "see it work on a bundled failing script"
EXAMPLES = """\
  traindx demo                                 diagnose a failing script and prove the fix
  traindx demo --logs                          diagnose five bundled logs instead (needs no torch)"""

_TREATMENTS = "treatments"
_TRAININGS = ("hot", "cold", "nan", "overfit", "cool")


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of demo."""
    add_option(parser, "--out DIR", "where the reports go (default: .traindx/demo)", default=".traindx/demo")
    add_option(parser, "--logs", "diagnose bundled logs instead; needs no torch")


def run(arguments: argparse.Namespace) -> int:
    """Lay out what is bundled and do with it what a user would do."""
    import os
    import sys
    from importlib.util import find_spec
    from pathlib import Path

    out = Path(arguments.out)
    can_train = find_spec("torch") is not None and os.name == "posix"
    if not can_train and not arguments.logs:
        sys.stderr.write(
            "torch is not installed, so this diagnoses bundled logs; install torch to see a script\n"
        )
    try:
        return _logs(out) if arguments.logs or not can_train else _program(out)
    except OSError as error:
        raise TraindxError(
            f"{out}: can't write it ({error.strerror or error}); choose another --out"
        ) from error


def _program(out: "Path") -> int:
    """Record the program, diagnose it, and prove the fix; in a folder of its own, as a user would."""
    import shutil
    import sys
    from contextlib import chdir
    from pathlib import Path

    out.mkdir(parents=True, exist_ok=True)
    script = out / "spirals.py"
    shutil.copyfile(Path(__file__).parent.parent / "demo" / script.name, script)
    sys.stderr.write(f"$ cd {out}\n$ traindx treat --out {_TREATMENTS} {script.name}\n")
    sys.stderr.flush()
    with chdir(out):
        code = _call(["treat", "--out", _TREATMENTS, script.name])
    # The paths above are those of the demo's folder, in which the user is not.
    reports = sorted((out / _TREATMENTS).glob("*/report.html"), key=lambda path: path.stat().st_mtime)
    sys.stdout.write(f"{'open':<10} {reports[-1]}\n" if reports else "")
    return code


def _logs(out: "Path") -> int:
    """Diagnose the logs of all bundled trainings, and write every kind of report."""
    import shutil
    from importlib.util import find_spec
    from pathlib import Path

    bundled = Path(__file__).parent.parent / "demo"
    for name in _TRAININGS:
        shutil.copytree(bundled / name, out / name, dirs_exist_ok=True)
    folder = str(out)
    command = ["diagnose", "--html", folder, "--md", folder, "--json", folder]
    if find_spec("matplotlib"):
        command += ["--png", str(out / "pictures")]
    return _call([*command, "--", *(str(out / name) for name in _TRAININGS)])


def _call(words: list[str]) -> int:
    """Run one of our commands as if it had been typed."""
    from traindx.cli import build_parser

    parser, commands = build_parser()
    return commands[words[0]].run(parser.parse_args(words))
