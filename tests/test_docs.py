"""The pages that are made from the code: what leads where, whatever the code says at the moment."""

import importlib.util
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from types import ModuleType

from traindx.cause import Symptom
from traindx.diagnosis import knowledge
from traindx.run import Fact

ROOT = Path(__file__).parents[1]


@cache
def generate() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate", ROOT / "docs" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_cause_has_a_page_and_every_link_leads_to_one() -> None:
    pages = generate().causes()
    assert {f"docs/causes/{cause.slug}.md" for cause in knowledge.causes()} < set(pages)
    for page in pages.values():
        for target in re.findall(r"\]\(([a-z-]+\.md)\)", page):
            assert f"docs/causes/{target}" in pages


def test_the_index_leads_from_complaints_and_from_misdiagnoses() -> None:
    index = generate().causes()["docs/causes/README.md"]
    symptoms, _, rest = index.partition("## Common misdiagnoses")
    misdiagnoses, _, everything = rest.partition("## All causes")
    for symptom in Symptom:
        assert symptoms.count(f"| {symptom.value} | [`") == 1
    for cause in knowledge.causes():
        assert f"[`{cause.slug}`]({cause.slug}.md)" in symptoms
        assert f"[`{cause.slug}`]({cause.slug}.md)" in everything
        for one in cause.misdiagnoses:
            assert f"| {one.says} | {one.blames} | " in misdiagnoses


def test_a_sign_that_needs_facts_names_them() -> None:
    page = generate().signs()
    for sign in knowledge.signs():
        chapter = page.partition(f"## {sign.slug}\n")[2].partition("\n## ")[0]
        assert sign.asks in chapter
        for need in sign.needs:
            assert not isinstance(need, Fact) or f"`{need.slug}`" in chapter


def test_the_site_builds_and_loads_nothing_from_elsewhere(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    pages = {str(page.relative_to(tmp_path)): page.read_text() for page in tmp_path.rglob("*.html")}
    assert {f"causes/{cause.slug}.html" for cause in knowledge.causes()} < set(pages)
    for page in pages.values():
        # Links may lead anywhere; what a page loads by itself lies beside it.
        loaded = re.findall(r'<(?:script|img|iframe|source)[^>]+src="([^"]+)"', page)
        loaded += re.findall(r'<link[^>]+href="([^"]+)"', page)
        assert [one for one in loaded if "//" in one] == []
    styles = "".join(style.read_text() for style in tmp_path.rglob("*.css"))
    assert not re.search(r"(?:url\(|@import)\s*['\"]?(?:https?:)?//", styles)


def test_every_link_between_pages_leads_to_one() -> None:
    for page in [*(ROOT / "docs").glob("*.md"), *(ROOT / "docs/guides").glob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_guides_name_causes_that_exist_with_what_they_declare() -> None:
    known = {cause.slug: cause for cause in knowledge.causes()}
    pages = generate().guides()
    assert len(pages) == 5
    named: set[str] = set()
    for page in pages.values():
        for slug, row in re.findall(r"(?m)^\| \[`([a-z-]+)`\]\(\.\./causes/[a-z-]+\.md\) (.*)$", page):
            assert known[slug].fixes[0].title in row
            assert known[slug].what_not_to_do[0] in row
            named.add(slug)
    assert len(named) > 30
