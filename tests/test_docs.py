"""The pages that are made from the code: what leads where, whatever the code says at the moment."""

import html
import importlib.util
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

from tests.browser import dumped, needs_browser
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
        for misdiagnosis in cause.misdiagnoses:
            assert f"| {misdiagnosis.says} | {misdiagnosis.blames} | " in misdiagnoses


def test_a_sign_that_needs_facts_names_them() -> None:
    page = generate().signs()
    for sign in knowledge.signs():
        chapter = page.partition(f"## {sign.slug}\n")[2].partition("\n## ")[0]
        assert sign.asks in chapter
        for need in sign.needs:
            assert not isinstance(need, Fact) or f"`{need.slug}`" in chapter


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, with the pages as the code generates them now."""
    folder = tmp_path_factory.mktemp("site")
    shutil.copytree(ROOT / "docs", folder / "docs")
    shutil.copy(ROOT / "mkdocs.yml", folder)
    for name, text in generate().causes().items():
        (folder / name).write_text(generate().NOTE + text, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return folder / "build/site"


def test_the_site_loads_nothing_from_elsewhere(site: Path) -> None:
    pages = {str(page.relative_to(site)): page.read_text() for page in site.rglob("*.html")}
    assert {f"causes/{cause.slug}.html" for cause in knowledge.causes()} < set(pages)
    for page in pages.values():
        # Links may lead anywhere; what a page loads by itself is part of the site.
        loaded = re.findall(r'<(?:script|img|iframe|source)[^>]+src="([^"]+)"', page)
        loaded += re.findall(r'<link[^>]+href="([^"]+)"', page)
        assert [url for url in loaded if "//" in url] == []
    styles = "".join(style.read_text() for style in site.rglob("*.css"))
    assert not re.search(r"(?:url\(|@import)\s*['\"]?(?:https?:)?//", styles)


def test_the_page_of_a_cause_has_its_title_in_the_window_the_heading_and_the_menu(site: Path) -> None:
    menu = (site / "index.html").read_text()
    for cause in knowledge.causes():
        page = html.unescape((site / f"causes/{cause.slug}.html").read_text())
        assert f"<title>{cause.title} - traindx</title>" in page
        assert re.search(rf"<h1[^>]*>{re.escape(cause.title)}</h1>", page)
        assert f">{cause.title}</a>" in html.unescape(menu)


def test_internal_pages_are_not_in_the_menu(site: Path) -> None:
    menu = (site / "index.html").read_text().partition('<nav id="nav"')[2].partition("</nav>")[0]
    assert "tutorial.html" in menu
    assert "mission" not in menu
    assert "accuracy" not in menu


@needs_browser
def test_search_works_from_disk(site: Path, tmp_path: Path) -> None:
    page, complaints = dumped(f"{(site / 'causes/overfitting.html').as_uri()}?q=nan", tmp_path)
    results = re.search(r'(?s)<section id="results"[^>]*>(.*?)</section>', page)
    assert results
    assert complaints == ""
    links = re.findall(r'<a href="\.\./([^"#]+)', results[1])
    assert links[0] == "causes/non-finite-inputs.html"
    assert len(links) == len(set(links)) > 5
    assert all((site / link).is_file() for link in links)
    assert "<mark>NaN</mark>" in results[1]
    assert '<article id="page" hidden="">' in page


@needs_browser
def test_the_theme_is_remembered(site: Path, tmp_path: Path) -> None:
    start = site / "index.html"
    clicked = site / "clicked.html"
    click = "<script>addEventListener('load', () => document.getElementById('theme').click())</script></body>"
    clicked.write_text(start.read_text().replace("</body>", click))
    before, _ = dumped(start.as_uri(), tmp_path)
    dumped(clicked.as_uri(), tmp_path)
    after, complaints = dumped(start.as_uri(), tmp_path)
    assert 'data-theme=""' in before
    assert 'data-theme="dark"' in after
    assert complaints == ""


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
