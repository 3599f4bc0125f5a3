"""Writes the pages that are made from the code; with --check, only tells whether they are fresh."""

import argparse
import ast
import inspect
import os
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
from difflib import SequenceMatcher
from pathlib import Path

ROOT = Path(__file__).parent.parent
_REFERENCES = "src/traindx/skill/references"
NOTE = "<!-- made by docs/generate.py from the code: do not edit -->\n\n"


def formats() -> str:
    from traindx import readers
    from traindx.catalogue import modules

    parts = [
        "# Log formats\n",
        "Every format is recognised by its content, and none needs the library that wrote it.\n",
    ]
    for module in modules(readers):
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


def signs() -> str:
    from traindx.cli import _pages
    from traindx.diagnosis import knowledge

    parts = [
        "# Signs\n",
        "The questions asked of every run. Each is answered with yes (with its evidence), no, or cannot tell;"
        " what an answer counts for stands on the pages of the [causes](causes/README.md).\n",
        "A limit gets another value by `--limit SIGN.LIMIT=VALUE`, or by a line `SIGN.LIMIT = VALUE` under"
        " `[tool.traindx.limits]` in `pyproject.toml`.\n",
    ]
    for sign in knowledge.signs():
        looks = f"Looks at {_pages.needs(sign)}. A clear yes is {_pages.harm(sign)}."
        limits = _SOURCE.sub(r"[\g<0>](../\g<0>)", _pages.limits_table(sign))
        parts.append(f"## {sign.slug}\n\n{sign.asks}\n\n{looks}\n\n{limits}\n")
    return "\n".join(parts)


def causes() -> dict[str, str]:
    """The page of each cause, and the table that leads to them."""
    from traindx.cli import _pages
    from traindx.diagnosis import knowledge

    known = knowledge.causes()
    pages = {f"docs/causes/{cause.slug}.md": _linked(str(_pages.cause_page(cause))) for cause in known}
    index = "\n\n".join(
        (
            "# Causes",
            "Every table here is made from what the causes declare.",
            "## From the symptom to the first fix",
            _pages.symptoms_table(known),
            "## Common misdiagnoses",
            _pages.misdiagnoses_table(known),
            "## All causes",
            _pages.causes_table(known),
        )
    )
    return {**pages, "docs/causes/README.md": _linked(f"{index}\n")}


def _linked(page: str) -> str:
    """A page on which the name of a cause leads to its page."""
    from traindx.diagnosis import knowledge

    slugs = {cause.slug for cause in knowledge.causes()}
    own = re.search(r"^`([a-z-]+)` is a", page, re.MULTILINE)

    def link(match: re.Match[str]) -> str:
        slug = match[1]
        leads = slug in slugs and not (own and own[1] == slug)
        return f"[`{slug}`]({slug}.md)" if leads else match[0]

    return re.sub(r"`([a-z]+(?:-[a-z]+)*)`", link, page)


def guides() -> dict[str, str]:
    """The guides, written by hand, with a table of the causes that each is about."""
    from traindx.cli import _pages
    from traindx.diagnosis import knowledge

    known = {cause.slug: cause for cause in knowledge.causes()}

    def table(marked: re.Match[str]) -> str:
        rows = []
        for cause in (known[slug] for slug in marked["slugs"].split()):
            fixes = "; ".join(fix.title for fix in cause.fixes[:2])
            link = f"[`{cause.slug}`](../causes/{cause.slug}.md)"
            rows.append(f"| {link} | {_pages.symptom(cause)} | {fixes} | {cause.what_not_to_do[0]} |")
        lines = ["| cause | what you see | fixes | not |", "|---|---|---|---|", *rows]
        return "\n".join([f"<!-- causes: {marked['slugs']} -->", "", *lines, "", "<!-- end -->"])

    return {
        f"docs/guides/{page.name}": _GUIDED.sub(table, page.read_text(encoding="utf-8"))
        for page in sorted((ROOT / "docs/guides").glob("*.md"))
    }


_GUIDED = re.compile(r"(?s)<!-- causes: (?P<slugs>.*?) -->.*?<!-- end -->")


def commands() -> str:
    os.environ["COLUMNS"] = "100"
    from traindx import cli
    from traindx.cli import examine, skill

    parser, known = cli.build_parser()
    exams = {f"examine {name}": exam for name, exam in cli.commands_in(examine.__name__).items()}
    actions = {f"skill {name}": action for name, action in cli.commands_in(skill.__name__).items()}
    # What a command is divided into stands behind it.
    every = sorted({**known, **exams, **actions}.items())
    pages = [f"## traindx {words}\n\n```text\n{cli.help_of(words, one)}```\n" for words, one in every]
    return "\n".join(["# Commands\n", f"```text\n{parser.format_help()}```\n", *pages])


def skill() -> dict[str, str]:
    """The files of the skill that repeat what the causes declare."""
    from traindx.cli import _pages
    from traindx.diagnosis import knowledge

    known = knowledge.causes()
    points = (
        "What you see, the causes behind it with the commonest first, and the first thing to change. The"
        " table points; only a diagnosis tells which it is. `traindx explain CAUSE` tells more of each."
    )
    claims = (
        "What people say, what they blame, and what it turns out to be. Hold a claim of the user against it"
        " before you follow the claim."
    )
    by_symptom = f"# From the symptom to the cause\n\n{points}\n\n{_pages.symptoms_table(known)}\n"
    blamed = f"# Common misdiagnoses\n\n{claims}\n\n{_pages.misdiagnoses_table(known)}\n"
    return {f"{_REFERENCES}/causes.md": by_symptom, f"{_REFERENCES}/misdiagnoses.md": blamed}


def _filled(page: str) -> str:
    """A hand-written page whose marked blocks show a file, or what a command prints, as they are now."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return _MARKED.sub(_block, text)


def _block(marked: re.Match[str]) -> str:
    """A marked block as it is now; one that trains stays as it is while it says nearly the same."""
    block = f"{marked['mark']}\n{marked['fence']}\n{_content(marked['kind'], marked['what'])}```\n"
    return marked[0] if marked["what"] in _TRAINS and _are_alike(block, marked[0]) else block


def _are_alike(block: str, other: str) -> bool:
    """Whether two blocks share nearly all their words: gradients are recorded as often as time allows."""
    matcher = SequenceMatcher(a=_masked(block).split(), b=_masked(other).split(), autojunk=False)
    return matcher.ratio() > _ALIKE


def _masked(block: str) -> str:
    """A block without its numbers, curve and line breaks: another machine rounds and times otherwise."""
    numbers = re.sub(r"[<>+-]?\d[\d.,]*(e[+-]\d+)?", "#", block)
    return re.sub(r"[\s#]+", " ", re.sub(r"[\u2800-\u28ff┤│└─▲━]|\bo+\b", "#", numbers))


def _content(kind: str, what: str) -> str:
    if kind == "from":
        path, _, name = what.partition("::")
        text = (ROOT / path).read_text(encoding="utf-8")
        return _definition(text, name) if name else text
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
        printed = _LIVE.sub("", f"{done.stdout}{done.stderr}")
        return f"$ {what.removesuffix(_TOGETHER)}\n{printed}"


def _definition(text: str, name: str) -> str:
    """One top-level function of a file, with its decorators."""
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef) and node.name == name:
            first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
            return "\n".join(text.splitlines()[first - 1 : node.end_lineno]) + "\n"
    raise ValueError(f"no function {name} to show")


_TOGETHER = " 2>&1"
_TRAINS = (f"traindx demo{_TOGETHER}",)
"""Commands that train a network: numbers differ from machine to machine, and times from run to run."""

_ALIKE = 0.94
_LIVE = re.compile(r"\n?traindx: step .*\n")
"""What is said while a program runs: a fast machine is done before it is said."""

_MARKED = re.compile(
    r"(?ms)(?P<mark>^<!-- (?P<kind>from|output of): (?P<what>.*?) -->)\n(?P<fence>```\w*)\n.*?```\n"
)

_SOURCE = re.compile(r"bench/thresholds\.md#[\w-]+")


def pages() -> dict[str, str]:
    """Every page that is made from the code, by its place."""
    made = {
        "docs/formats.md": formats(),
        "docs/quantities.md": quantities(),
        "docs/commands.md": commands(),
        "docs/signs.md": signs(),
        **causes(),
        **skill(),
    }
    filled = {name: _filled(name) for name in ("CONTRIBUTING.md", "README.md", "docs/asking.md")}
    return {**{name: NOTE + text for name, text in made.items()}, **filled, **guides()}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if a page is stale")
    check = parser.parse_args().check
    fresh = pages()
    stale = [name for name, text in fresh.items() if _written(ROOT / name) != text]
    gone = [page for page in (ROOT / "docs/causes").glob("*") if f"docs/causes/{page.name}" not in fresh]
    if check:
        if stale or gone:
            names = [*stale, *(str(page.relative_to(ROOT)) for page in gone)]
            print(f"stale: {', '.join(sorted(names))}; run: make docs")
        return 1 if stale or gone else 0
    (ROOT / "docs/causes").mkdir(exist_ok=True)
    for name in stale:
        (ROOT / name).write_text(fresh[name], encoding="utf-8")
    for page in gone:
        page.unlink()
    return 0


def _written(page: Path) -> str | None:
    return page.read_text(encoding="utf-8") if page.exists() else None


if __name__ == "__main__":
    sys.exit(main())
