"""`traindx causes` and `traindx explain`: the knowledge base."""

import json
import re
from pathlib import Path

import pytest

from traindx.cause import Symptom
from traindx.cli import main
from traindx.cli._pages import cause_page, sign_page, symptoms_table
from traindx.diagnosis import knowledge


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_causes_lists_each_on_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["causes"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(len(line) for line in lines) <= 80
    listed = [line.split()[0] for line in lines[1:] if line][: len(knowledge.causes())]
    assert listed == [cause.slug for cause in knowledge.causes()]


def test_causes_as_data_hold_all_that_is_known(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["causes", "--json", "-"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["schema"], document["kind"]) == ("traindx.report/1", "knowledge")
    for cause in document["causes"]:
        assert cause["fixes"][0]["expect"]
        assert cause["what_not_to_do"]
        assert cause["rivals"]


def test_causes_as_markdown_lead_from_symptom_to_fix(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["causes", "--md", "."]) == 0
    table = Path("causes.md").read_text()
    for cause in knowledge.causes():
        (row,) = [row for row in table.splitlines() if row.startswith(f"| {cause.title} `{cause.slug}` |")]
        assert row.endswith(f"| {cause.fixes[0].title} |")
    capsys.readouterr()


def test_causes_by_symptom_lead_from_each_complaint(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["causes", "--by", "symptom", "--md", "."]) == 0
    shown = capsys.readouterr().out
    assert max(len(line) for line in shown.splitlines()) <= 80
    rows = Path("causes.md").read_text().splitlines()[4:]
    complaints = [row.split(" | ")[0].removeprefix("| ") for row in rows if not row.startswith("|  |")]
    assert complaints == [symptom.value for symptom in Symptom]
    for cause in knowledge.causes():
        assert cause.symptoms, cause.slug
        assert sum(f"| `{cause.slug}` | {cause.fixes[0].title} |" in row for row in rows) == len(
            cause.symptoms
        )
        assert cause.slug in shown


def test_a_complaint_leads_first_to_causes_that_it_is_commonest_of() -> None:
    rows = symptoms_table(knowledge.causes()).splitlines()[2:]
    begins = [index for index, row in enumerate(rows) if not row.startswith("|  |")]
    for symptom, first in zip(Symptom, begins, strict=True):
        commonest = [cause for cause in knowledge.causes() if cause.symptoms[:1] == (symptom,)]
        if commonest:
            assert any(f"`{cause.slug}`" in rows[first] for cause in commonest)


def test_causes_by_misdiagnosis_say_what_people_blame_and_what_it_is(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["causes", "--by", "misdiagnosis", "--md", "."]) == 0
    assert max(len(line) for line in capsys.readouterr().out.splitlines()) <= 80
    rows = Path("causes.md").read_text().splitlines()[4:]
    for cause in knowledge.causes():
        for misdiagnosis in cause.misdiagnoses:
            (row,) = [
                row for row in rows if row.startswith(f"| {misdiagnosis.says} | {misdiagnosis.blames} | ")
            ]
            assert f"`{cause.slug}`" in row


def test_there_is_no_other_way_to_list_them(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["causes", "--by", "color"])
    said = capsys.readouterr().err
    assert "color" in said
    assert all(way in said for way in ("name", "symptom", "misdiagnosis"))


@pytest.mark.parametrize("slug", [cause.slug for cause in knowledge.causes()])
def test_a_cause_reads_at_80_columns(slug: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", slug]) == 0
    shown = capsys.readouterr().out
    cause = knowledge.cause_named(slug)
    assert shown.startswith(cause.title)
    assert max(len(line) for line in shown.splitlines()) <= 80
    assert "\x1b" not in shown
    words = " ".join(shown.split())
    for rival in cause.rivals:
        assert f"{rival.slug}:" in words
    for fix in cause.fixes:
        assert f"expect: {fix.expect.replace('`', '')[:40]}" in words


@pytest.mark.parametrize("slug", [sign.slug for sign in knowledge.signs()])
def test_a_sign_reads_at_80_columns(slug: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", slug]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith(slug)
    assert max(len(line) for line in shown.splitlines()) <= 80


def test_explain_as_data_and_as_markdown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "overfitting", "--json", "-"]) == 0
    assert [c["cause"] for c in json.loads(capsys.readouterr().out)["causes"]] == ["overfitting"]
    assert main(["explain", "loss_diverges", "--json", "-"]) == 0
    (sign,) = json.loads(capsys.readouterr().out)["signs"]
    assert {limit["name"] for limit in sign["limits"]} >= {"lost"}
    assert main(["explain", "overfitting", "--md", "-"]) == 0
    assert capsys.readouterr().out == str(cause_page(knowledge.cause_named("overfitting")))
    assert main(["explain", "loss-diverges", "--md", "."]) == 0
    assert Path("loss_diverges.md").read_text().startswith("# loss_diverges\n")


def test_the_page_of_a_check_says_what_a_hit_counts_for() -> None:
    (sign,) = [sign for sign in knowledge.signs() if sign.slug == "loss_diverges"]
    page = str(sign_page(sign))
    assert "- a hit supports `" in page
    assert "| `lr-too-high` | strong evidence for (+" in page
    assert "| healthy | strong evidence against (-" in page


@pytest.mark.parametrize("slug", [cause.slug for cause in knowledge.causes()])
def test_a_cause_goes_from_what_you_see_to_the_fix_and_ends_with_folded_evidence(slug: str) -> None:
    page = str(cause_page(knowledge.cause_named(slug)))
    headings = re.findall(r"(?m)^(?:## |<summary>)([\w ]+)", page)
    assert headings == [
        "What you see",
        "What to change",
        "What not to do",
        "Often confused with",
        "What happens",
        "References",
        "Evidence",
    ]
    assert page.endswith("</details>\n")
    assert not re.search(r"\babout \d+ min", page)


@pytest.mark.parametrize(("name", "folded"), [("dead-relu", "Evidence"), ("loss_diverges", "Log-odds")])
def test_log_odds_are_shown_with_all_only(name: str, folded: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", name]) == 0
    brief = capsys.readouterr().out
    assert main(["explain", name, "--all"]) == 0
    full = capsys.readouterr().out
    assert "evidence for (+" not in brief
    assert "evidence for (+" in " ".join(full.split())
    assert full.startswith(brief)
    assert full.removeprefix(brief).strip().startswith(folded)


@pytest.mark.parametrize(
    ("words", "least", "other"),
    [
        ("nan", {"non-finite-inputs", "half-precision-overflow", "lr-too-high"}, "overfitting"),
        ("learning rate", {"lr-too-high", "lr-too-low", "lr-decay-needed"}, "non-finite-inputs"),
        ("Learning-Rates", {"lr-too-high", "lr-too-low"}, "overfitting"),
        ("softmax", {"wrong-output-activation"}, "overfitting"),
    ],
)
def test_words_list_the_causes_that_match(
    words: str, least: set[str], other: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["explain", words]) == 0
    shown = capsys.readouterr().out
    assert main(["explain", words, "--json", "-"]) == 0
    slugs = [cause["cause"] for cause in json.loads(capsys.readouterr().out)["causes"]]
    assert least <= set(slugs)
    assert other not in slugs
    assert shown.startswith(f"{len(slugs)} cause")
    assert [line.split()[0] for line in shown.splitlines()[3 : 3 + len(slugs)]] == slugs
    assert main(["explain", words, "--md", "-"]) == 0
    assert capsys.readouterr().out.count("\n| ") == len(slugs) + 1


def test_a_check_is_found_by_its_former_name(capsys: pytest.CaptureFixture[str]) -> None:
    renamed = [sign for sign in knowledge.signs() if sign.formerly]
    assert renamed
    for sign in renamed:
        assert main(["explain", sign.formerly]) == 0
        assert capsys.readouterr().out.startswith(f"{sign.slug}\n")


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("lr-to-high", "did you mean lr-too-high?"),
        ("foo", "traindx causes lists causes, docs/signs.md checks"),
        ("loss_diverge", "did you mean loss_diverges?"),
        ("LR-TO-HIGH", "did you mean lr-too-high?"),
        ("held_as_draw", "did you mean frozen_at_initialization?"),
        ("Learning rate much too high", "did you mean lr-too-high?"),
        ("qqq", 'unknown cause or check "qqq"'),
    ],
)
def test_an_unknown_name_gets_a_suggestion(name: str, says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", name]) == 2
    error = capsys.readouterr().err
    assert error.startswith("traindx explain: ")
    assert says in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("LR-TOO-HIGH", "lr-too-high"),
        ("Learning rate too high", "lr-too-high"),
        ("lr too high", "lr-too-high"),
        ("Loss-Diverges", "loss_diverges"),
    ],
)
def test_a_name_is_known_by_its_title_and_in_any_case(
    name: str, slug: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["explain", slug]) == 0
    page = capsys.readouterr().out
    assert main(["explain", name]) == 0
    assert capsys.readouterr().out == page


def test_a_folder_takes_both_documents_under_their_own_names(tmp_path: Path) -> None:
    for words, name in ((["causes"], "causes"), (["explain", "overfitting"], "overfitting")):
        assert main([*words, "--json", str(tmp_path), "--md", str(tmp_path)]) == 0
        assert json.loads((tmp_path / f"{name}.json").read_text())["causes"]
        assert (tmp_path / f"{name}.md").read_text().startswith("# ")
    assert main(["causes", "--json", "-", "--md", "-"]) == 2


def test_an_unwritable_page_keeps_the_other_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "overfitting", "--md", "no/such.md", "--json", "out.json"]) == 2
    assert Path("out.json").exists()
    assert "no/such.md: can't write it" in capsys.readouterr().err


@pytest.mark.parametrize("words", ["clip_grad_norm_", "clip grad norm"])
def test_what_only_a_page_mentions_is_found(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", words]) == 0
    assert "exploding-gradients" in capsys.readouterr().out
