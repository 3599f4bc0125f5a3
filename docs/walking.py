"""Walks through a page as its reader would: writes its files, types its commands, and compares what they say.

    python docs/walking.py docs/tutorial.md           tell where the page and the product differ
    python docs/walking.py docs/tutorial.md --write   put what the commands say now into the page

A block of "```python" after "<!-- file: NAME -->" is a file. In a block of "```console" each line that begins
with "$ " is typed into a shell, all in one folder, one after the other; what follows is what it printed.
Another block of "```python" is run as a program, and "# prints: " begins what it prints. A comment
"<!-- says: WORDS -->" before a block names what it has to say, whatever the numbers are.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

_BLOCK = re.compile(
    r"(?ms)(?:^<!-- (?:says: (?P<says>.*?)|file: (?P<name>\S+)) -->\n)?"
    r"^```(?P<kind>python|console)\n(?P<text>.*?)^```\n"
)
_ALIKE = 0.8
"""Of the words that are no numbers: machines round, time and record otherwise."""
_NUMBER = re.compile(r"[<>+-]?\d[\d.,]*(e[+-]?\d+)?")
_CURVE = re.compile(r"[\u2800-\u28ff┤│└─▲━]+|\bo+\b")
_SECONDS = 600


@dataclass(frozen=True)
class Step:
    """One block, as it stands on the page and as it turned out."""

    written: str
    now: str
    says: str

    @property
    def missing(self) -> str:
        """What it has to say and does not; empty where it does."""
        is_said = self.says in " ".join(self.now.split())
        return "" if is_said else f'it does not say "{self.says}" but:\n{self.now}'

    @property
    def problem(self) -> str:
        """What is wrong with the page; empty where nothing is."""
        if self.missing or likeness(self.written, self.now) >= _ALIKE:
            return self.missing
        return f"the page says\n{self.written}\nand the product\n{self.now}"


def likeness(one: str, other: str) -> float:
    """The share of words that two texts have in common, in order, numbers and curves aside."""
    return SequenceMatcher(a=_words(one), b=_words(other), autojunk=False).ratio()


def _words(text: str) -> list[str]:
    return re.sub(r"[#\s]+", " ", _NUMBER.sub("#", _CURVE.sub("#", text))).split()


def walk(page: str, folder: Path) -> tuple[str, list[Step]]:
    """The page with what its commands say now, and every block that has an outcome."""
    steps: list[Step] = []

    def through(block: re.Match[str]) -> str:
        text = block["text"]
        if block["name"]:
            (folder / block["name"]).write_text(text, encoding="utf-8")
            return block[0]
        if block["kind"] == "python":
            lines = text.splitlines(keepends=True)
            printed = [line for line in lines if line.startswith("# prints: ")]
            now = _typed([sys.executable, "-c", text], folder).strip()
            steps.append(Step("".join(printed).replace("# prints: ", ""), now, block["says"] or ""))
            return block[0]
        now = ""
        for command in re.findall(r"(?m)^\$ (.*)$", text):
            now += f"$ {command}\n{_typed(['bash', '-c', command], folder)}"
        steps.append(Step(text, now, block["says"] or ""))
        return block[0].replace(text, now)

    return _BLOCK.sub(through, page), steps


def _typed(words: list[str], folder: Path) -> str:
    """What a command prints, on a terminal of 80 columns."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "COLUMNS": "80", "PYTHONUNBUFFERED": "1"}
    done = subprocess.run(
        words,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=_SECONDS,
        check=False,
    )
    return "".join(f"{line.rstrip()}\n" for line in done.stdout.splitlines())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("page", type=Path)
    parser.add_argument("--write", action="store_true", help="put what the commands say into the page")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        page, steps = walk(arguments.page.read_text(encoding="utf-8"), Path(folder))
    if arguments.write:
        arguments.page.write_text(page, encoding="utf-8")
    problems = [step.missing if arguments.write else step.problem for step in steps]
    print("\n".join(filter(None, problems)))
    return 1 if any(problems) else 0


if __name__ == "__main__":
    sys.exit(main())
