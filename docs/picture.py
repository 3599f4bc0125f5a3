"""Renders what `traindx inspect` prints on a terminal to docs/inspect.png; needs Chromium."""

import os
import pty
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import DIMMED_MONOKAI
from rich.text import Text

ROOT = Path(__file__).parent.parent
PAGE = """<!DOCTYPE html><meta charset="utf-8"><style>
body {{ margin: 0; background: {background}; color: {foreground}; }}
pre {{ font: 15px/1.28 "DejaVu Sans Mono", monospace; padding: 22px 26px; margin: 0; }}
{stylesheet}</style><pre>{code}</pre>"""
FLAGS = (
    "--headless --no-sandbox --disable-gpu --hide-scrollbars --no-first-run --disable-background-networking"
)


def printed(command: list[str], folder: Path) -> str:
    """What a command prints when it believes it has a terminal."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "84"}
    with subprocess.Popen(command, cwd=folder, stdout=theirs, stderr=theirs, env=environment):
        os.close(theirs)
        pieces = []
        while piece := _next(ours):
            pieces.append(piece)
    return b"".join(pieces).decode().replace("\r\n", "\n")


def _next(terminal: int) -> bytes:
    try:
        return os.read(terminal, 1 << 16)
    except OSError:  # the other end was closed
        return b""


def main() -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        shutil.copytree(ROOT / "src/traindx/demo", folder / "runs", ignore=shutil.ignore_patterns("*.py"))
        text = printed([str(Path(sys.executable).parent / "traindx"), "inspect", "runs/"], folder)
        console = Console(record=True, width=84, file=(folder / "out.txt").open("w"))
        console.print(Text.assemble(("$ ", "bold green"), ("traindx inspect runs/", "bold"), "\n"))
        console.print(Text.from_ansi(text))
        html = console.export_html(theme=DIMMED_MONOKAI, code_format=PAGE, inline_styles=False)
        (folder / "page.html").write_text(html)
        height = round((text.count("\n") + 3) * 15 * 1.28) + 44
        size = f"--window-size=840,{height}"
        picture = f"--screenshot={ROOT / 'docs/inspect.png'}"
        subprocess.run(
            [
                "chromium",
                *FLAGS.split(),
                f"--user-data-dir={folder}/chromium",
                size,
                picture,
                f"file://{folder}/page.html",
            ],
            check=True,
            stderr=subprocess.DEVNULL,
        )


if __name__ == "__main__":
    main()
