"""The skill as agents demand it, and where it is put."""

import re
from pathlib import Path

import pytest
import yaml

from traindx.cli.skill import install
from traindx.errors import TraindxError
from traindx.skill.install import AGENTS, MAIN, NAME, folders_of, planned, skill_file, skill_files, write


@pytest.fixture
def skill(tmp_path: Path) -> Path:
    write(planned(tmp_path / NAME))
    return tmp_path / NAME


def front_matter(skill: Path) -> dict[str, str]:
    text = (skill / MAIN).read_text(encoding="utf-8")
    fields = re.match(r"---\n(.*?)\n---\n", text, re.DOTALL)
    assert fields
    read: dict[str, str] = yaml.safe_load(fields[1])
    return read


def test_the_front_matter_follows_the_convention(skill: Path) -> None:
    fields = front_matter(skill)
    assert set(fields) <= {"name", "description", "license", "compatibility", "metadata", "allowed-tools"}
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", fields["name"])
    assert len(fields["name"]) <= 64
    assert fields["name"] == skill.name
    assert 1 <= len(fields["description"]) <= 1024
    assert 1 <= len(fields["compatibility"]) <= 500
    assert "<" not in fields["description"]
    assert "Use when" in fields["description"]


def test_it_is_short_and_what_is_long_is_read_on_demand(skill: Path) -> None:
    text = (skill / MAIN).read_text(encoding="utf-8")
    assert text.count("\n") < 500
    # Four letters to a token, about: the convention recommends fewer than 5,000.
    assert len(text) < 4 * 5000


def test_every_link_leads_to_a_file_of_the_skill_and_every_file_is_linked(skill: Path) -> None:
    text = (skill / MAIN).read_text(encoding="utf-8")
    linked = set(re.findall(r"\]\(([^)]+)\)", text))
    assert linked == {name for name in skill_files() if name != MAIN}
    assert all((skill / name).is_file() for name in linked)


def test_it_says_what_it_must(skill: Path) -> None:
    text = (skill / MAIN).read_text(encoding="utf-8")
    for heading in ("One call", "The protocol", "How to read the result", "Never claim", "Out of scope"):
        assert f"\n## {heading}\n" in text


def test_agents_are_known_by_the_command_line() -> None:
    assert set(install._AGENTS) == set(AGENTS)


def test_two_agents_that_look_in_one_place_get_it_once(tmp_path: Path) -> None:
    assert folders_of(["codex", "generic"], tmp_path, of_user=False) == [tmp_path / ".agents/skills/traindx"]
    assert folders_of(["opencode"], tmp_path, of_user=True) == [tmp_path / ".config/opencode/skills/traindx"]


def test_what_is_there_and_differs_is_seen(skill: Path) -> None:
    assert not any(file.is_new or file.is_changed for file in planned(skill))
    (skill / MAIN).write_text(skill_file(MAIN) + "mine\nas well\n")
    (changed,) = [file for file in planned(skill) if file.is_changed]
    assert changed.size == "+0 -2"
    assert "-mine" in changed.diff


def test_a_place_that_takes_no_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / NAME).write_text("a file")
    with pytest.raises(TraindxError, match="choose another place"):
        write(planned(tmp_path / NAME))


def test_a_file_that_is_none_of_the_skill_is_refused() -> None:
    with pytest.raises(TraindxError, match=r"did you mean references/causes\.md"):
        skill_file("causes.md")
