"""Writes the pages that are made from the code; with --check, only tells whether they are fresh."""

import argparse
import importlib
import inspect
import os
import pkgutil
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parent.parent
NOTE = "<!-- made by docs/generate.py from the code: do not edit -->\n\n"


def formats() -> str:
    from traindx import readers

    parts = [
        "# Log formats\n",
        "Every format is recognised by its content, and none needs the library that wrote it.\n",
    ]
    for info in sorted(pkgutil.iter_modules(readers.__path__), key=lambda info: info.name):
        module = importlib.import_module(f"traindx.readers.{info.name}")
        # A reader's docstring is a title, lines of a log, and what to know of them.
        title, example, *text = inspect.cleandoc(module.__doc__ or "").split("\n\n")
        lines = textwrap.dedent(example).strip("\n")
        body = "\n\n".join(text)
        parts.append(f"## {module.READER.title}\n\n{title}\n\n```text\n{lines}\n```\n\n{body}\n")
    return "\n".join(parts)


def quantities() -> str:
    from traindx.facts import FACTS
    from traindx.quantities import QUANTITIES

    lines = [
        "# Quantities and facts\n",
        "The names `--map NAME=QUANTITY` takes and the JSON report uses.\n",
        "| quantity | meaning | unit | better |",
        "|---|---|---|---|",
        *(f"| `{q.slug}` | {q.meaning} | {q.unit} | {q.better.value} |" for q in QUANTITIES.values()),
        "\n## Facts\n",
        "What a run states about itself: hyperparameters found in or beside its log.\n",
        "| fact | meaning |",
        "|---|---|",
        *(f"| `{fact.slug}` | {fact.meaning} |" for fact in FACTS.values()),
    ]
    return "\n".join(lines) + "\n"


def commands() -> str:
    os.environ["COLUMNS"] = "100"
    from traindx import cli

    parser, known = cli.build_parser()
    pages = [f"## traindx {name}\n\n```text\n{cli.help_of(name)}```\n" for name in known]
    return "\n".join(["# Commands\n", f"```text\n{parser.format_help()}```\n", *pages])


def _filled(page: str) -> str:
    """A hand-written page whose marked blocks show a file, or what a command prints, as they are now."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return _MARKED.sub(lambda m: f"{m['mark']}\n{m['fence']}\n{_content(m['kind'], m['what'])}```\n", text)


def _content(kind: str, what: str) -> str:
    if kind == "from":
        return (ROOT / what).read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(
            ROOT / "src/traindx/demo", Path(folder) / "runs", ignore=shutil.ignore_patterns("*.py")
        )
        environment = {
            **os.environ,
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "COLUMNS": "80",
        }
        done = subprocess.run(
            what, shell=True, cwd=folder, env=environment, capture_output=True, text=True, check=False
        )
        return f"$ {what}\n{done.stdout}{done.stderr}"


_MARKED = re.compile(
    r"(?ms)(?P<mark>^<!-- (?P<kind>from|output of): (?P<what>.*?) -->)\n(?P<fence>```\w*)\n.*?```\n"
)

PAGES: dict[str, Callable[[], str]] = {
    "docs/formats.md": lambda: NOTE + formats(),
    "docs/quantities.md": lambda: NOTE + quantities(),
    "docs/commands.md": lambda: NOTE + commands(),
    "CONTRIBUTING.md": lambda: _filled("CONTRIBUTING.md"),
    "README.md": lambda: _filled("README.md"),
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if a page is stale")
    check = parser.parse_args().check
    stale = []
    for name, make in PAGES.items():
        page, text = ROOT / name, make()
        if page.exists() and page.read_text(encoding="utf-8") == text:
            continue
        stale.append(name)
        if not check:
            page.write_text(text, encoding="utf-8")
    if stale and check:
        print(f"stale: {', '.join(stale)}; run: make docs")
    return 1 if stale and check else 0


if __name__ == "__main__":
    sys.exit(main())
