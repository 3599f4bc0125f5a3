"""Makes the pictures of docs/pictures: the HTML report wide and narrow, dark and light, and the terminal.

Needs Chromium; run it after a change that can be seen, and look at what it made.
"""

import os
import pty
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image
from rich.console import Console
from rich.terminal_theme import DIMMED_MONOKAI
from rich.text import Text

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.browser import waiting

ROOT = Path(__file__).parent.parent
PICTURES = ROOT / "docs" / "pictures"
FLAGS = (
    "--headless --no-sandbox --disable-gpu --hide-scrollbars --no-first-run --disable-background-networking"
)
# The picture is taken when the page has loaded; the image is withheld until the charts are drawn.
FRAME = """<!doctype html><body style="margin:0"><iframe id="f" src="/page"
style="width:{width}px;height:{height}px;border:0;display:block"></iframe><img src="/hold"><script>
const drawn = () => f.contentDocument.querySelector("figure .main-svg");
const look = () => drawn() ? fetch("/done") : setTimeout(look, 50);
f.onload = look;</script>"""


def main() -> None:
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        shutil.copytree(ROOT / "src/traindx/demo", folder / "runs", ignore=shutil.ignore_patterns("*.py"))
        page = folder / "report.html"
        printed(["diagnose", "runs/hot", "--html", str(page)], folder)
        text = page.read_text(encoding="utf-8")
        for theme in ("light", "dark"):
            dressed = text.replace("<html ", f'<html data-theme="{theme}" ', 1)
            for name, width, height in (("wide", 1280, 1500), ("narrow", 360, 1500)):
                photograph(dressed, folder, width, height, PICTURES / f"report-{name}-{theme}.png")
        terminal(["diagnose", "runs/hot"], folder, PICTURES / "terminal.png")
        terminal(["inspect", "runs/cool"], folder, PICTURES / "inspect.png")


def photograph(page: str, folder: Path, width: int, height: int, picture: Path) -> None:
    """A page in a window of a width, once its charts are drawn."""
    with waiting(page, FRAME.format(width=width, height=height)) as address:
        _chromium(address, folder, width, height, picture)


def terminal(command: list[str], folder: Path, picture: Path) -> None:
    """What a command prints on a terminal of 84 columns."""
    console = Console(record=True, width=84, file=(folder / "out.txt").open("w"))
    console.print(Text.assemble(("$ ", "bold green"), (f"traindx {' '.join(command)}", "bold")))
    console.print(Text.from_ansi(printed(command, folder)))
    drawing = console.export_svg(title="traindx", theme=DIMMED_MONOKAI)
    (folder / "page.svg").write_text(drawing, encoding="utf-8")
    box = drawing.partition('viewBox="')[2].partition('"')[0].split()
    width, height = round(float(box[2])), round(float(box[3]))
    _chromium((folder / "page.svg").as_uri(), folder, width, height, picture)


def printed(command: list[str], folder: Path) -> str:
    """What a command prints when it believes it has a terminal."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "84"}
    program = str(Path(sys.executable).parent / "traindx")
    with subprocess.Popen([program, *command], cwd=folder, stdout=theirs, stderr=theirs, env=environment):
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


def _chromium(address: str, folder: Path, width: int, height: int, picture: Path) -> None:
    options = [f"--user-data-dir={folder}/chromium", f"--window-size={max(width, 500)},{height}"]
    command = ["chromium", *FLAGS.split(), *options, f"--screenshot={picture}", address]
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
    # Headless windows are at least 500 wide; and 256 colors keep the repository small.
    with Image.open(picture) as image:
        image.convert("RGB").crop((0, 0, width, height)).quantize(256).save(picture, optimize=True)


if __name__ == "__main__":
    main()
