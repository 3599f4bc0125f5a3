"""What users read is written in the words of the field: LANGUAGE.md's patterns do not come back."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.report.formats.test_diagnosis_reports import reports
from traindx.cause import Cause
from traindx.cli import HOME, commands_in, help_of
from traindx.cli._pages import cause_page, sign_page
from traindx.diagnosis import knowledge
from traindx.finding import Sign
from traindx.report import markdown, text
from traindx.report.pages import page_of

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src/traindx"
PATTERNS = (
    r"\bthe rate\b",
    r"\bdrawn\b",
    r"\bdeviation\b",
    r"constant (guess|answer)|raw scores?|right answers",
    r"\bbends?\b|by heart\b",
    r"\b(two|three|five|eight|ten|hundred) times\b",
    r"speaks? (for|against)|(for|against) it speaks",
    r"(tell|tells|told) [a-z ]*apart|cannot tell",
    r"\b(beside|in the place of)\b",
    r"\b(stands|lies|is held|are held)\b",
    r"\b(is|are) no [a-z]+",
    r"\b(cure[sd]?|guilty|ill|illness|restless|unrest|leaps?|suffers?)\b",
    r"\barms?\b",
    r"\b(normal|initial|regular|optim|general|standard|minim|memor|recogn)is[a-z]+",
    r"\b(colour|behaviour|neighbour|labell|judgement|learnt|centre)[a-z]*",
    r"[0-9] %",
    r"about [0-9]+ minutes?",
    r"please|simply\b|!(\s|$)",
)
HOUSE_WORDS = re.compile("|".join(f"(?:{pattern})" for pattern in PATTERNS), re.IGNORECASE)
FIELD = re.compile(
    r"(?i)`[^`\n]*`|bench/\S+|there (is|are) no\b|(is|are) no (longer|better|worse)"
    r"|-per-arm|optimistic|stands? out\b|!\[|!="
)
"""What the patterns hit and the field says."""


def hits(written: str) -> list[str]:
    """The house words in a text, each with what is around it."""
    kept = FIELD.sub("", written)
    return [kept[max(0, hit.start() - 30) : hit.end() + 20] for hit in HOUSE_WORDS.finditer(kept)]


def helps() -> Iterator[tuple[str, str]]:
    yield "traindx", HOME
    for package, before in (
        ("traindx.cli", ""),
        ("traindx.cli.examine", "examine "),
        ("traindx.cli.skill", "skill "),
    ):
        for name, command in commands_in(package).items():
            yield before + name, help_of(before + name, command)


@pytest.mark.parametrize(("name", "written"), list(helps()))
def test_help(name: str, written: str) -> None:
    assert hits(written) == []


@pytest.mark.parametrize("cause", knowledge.causes(), ids=lambda cause: cause.slug)
def test_pages_of_causes(cause: Cause) -> None:
    assert hits(str(cause_page(cause)).replace(cause.sections["References"], "")) == []


@pytest.mark.parametrize("sign", knowledge.signs(), ids=lambda sign: sign.slug)
def test_pages_of_checks(sign: Sign) -> None:
    assert hits(str(sign_page(sign))) == []


@pytest.mark.parametrize("name", [name for name in reports() if name != "hostile"])
def test_reports(name: str) -> None:
    page = page_of(reports()[name])
    assert hits(text.write(page, everything=True) + markdown.write(page, everything=True)) == []


def hand_written() -> Iterator[Path]:
    """Pages for users; the mission and the bench notes are ours."""
    yield from (ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md"))
    yield from sorted(page for page in (ROOT / "docs").glob("*.md") if page.name != "mission.md")
    yield from sorted((ROOT / "docs/guides").glob("*.md"))
    yield from sorted((ROOT / "src/traindx/skill").rglob("*.md"))


@pytest.mark.parametrize("page", list(hand_written()), ids=lambda page: page.name)
def test_hand_written_pages(page: Path) -> None:
    written = page.read_text(encoding="utf-8")
    prose = re.sub(r"(?ms)^```.*?^```", "", written)
    assert hits(prose) == []


def sentences(module: Path) -> Iterator[str]:
    """The strings of a module that have several words, without its docstrings."""
    tree = ast.parse(module.read_text(encoding="utf-8"))
    docstrings = {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in docstrings:
            # A single word is a name.
            yield node.value if " " in node.value else ""


@pytest.mark.parametrize(
    "folder",
    sorted({path.parent for path in SOURCE.rglob("*.py")}),
    ids=lambda path: str(path.relative_to(SOURCE)),
)
def test_strings_of_the_source(folder: Path) -> None:
    hits_by_file = {
        module.name: hits("\n".join(sentences(module)))
        for module in folder.glob("*.py")
        # Lists of what other people write.
        if module.name not in ("word_lists.py", "complaints.py")
    }
    assert {name: words for name, words in hits_by_file.items() if words} == {}
