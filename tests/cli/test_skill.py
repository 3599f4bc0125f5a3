"""`traindx skill`: installed, shown, never overwritten; and every command in it runs."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.calling import DEMO, traindx
from traindx.skill.install import MAIN, skill_file, skill_files


def test_it_is_installed_where_agents_look(tmp_path: Path) -> None:
    done = traindx("skill", "install", "--agent", "claude", "--agent", "codex", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "skill    .claude/skills/traindx\nskill    .agents/skills/traindx\n"
    for folder in (".claude", ".agents"):
        files = {
            str(path.relative_to(tmp_path / folder / "skills/traindx")): path.read_text(encoding="utf-8")
            for path in (tmp_path / folder).rglob("*.md")
        }
        assert files == skill_files()


def test_for_a_user_it_goes_into_the_home_folder(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    done = traindx("skill", "install", "--user", cwd=tmp_path, HOME=str(tmp_path / "home"))
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "home/.agents/skills/traindx" / MAIN).is_file()
    assert not (tmp_path / ".agents").exists()


def test_a_changed_file_is_left_alone_unless_forced(tmp_path: Path) -> None:
    path = tmp_path / "skills/traindx" / MAIN
    assert traindx("skill", "install", "--dir", "skills", cwd=tmp_path).returncode == 0
    (path.parent / "references/causes.md").unlink()
    path.write_text(skill_file(MAIN) + "mine\n")
    refused = traindx("skill", "install", "--dir", "skills", cwd=tmp_path)
    assert refused.returncode == 2
    assert "SKILL.md: differs from the skill (+0 -1 lines); nothing was written" in refused.stderr
    assert not (path.parent / "references/causes.md").exists()
    output = traindx("skill", "install", "--dir", "skills", "--dry-run", cwd=tmp_path)
    assert output.returncode == 0
    assert "change +0 -1" in output.stdout
    assert "\n-mine\n" in output.stdout
    assert path.read_text().endswith("mine\n")
    assert traindx("skill", "install", "--dir", "skills", "--force", cwd=tmp_path).returncode == 0
    assert path.read_text() == skill_file(MAIN)
    assert (path.parent / "references/causes.md").is_file()


def test_a_dry_run_writes_nothing(tmp_path: Path) -> None:
    done = traindx("skill", "install", "--dry-run", cwd=tmp_path)
    assert done.returncode == 0
    assert f"write          {MAIN}" in done.stdout
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["install", "--agent", "clippy"], "clippy"),
        (
            ["install", "--dir", "x", "--agent", "claude"],
            "--dir and --agent can't be combined; give one of them",
        ),
        (["install", "--dir", "x", "--user"], "not allowed with"),
        (["show", "references/cause.md"], "did you mean references/causes.md?"),
        (["show", "nope"], "known: SKILL.md, references/causes.md, "),
        ([], "the following arguments are required: ACTION"),
    ],
)
def test_bad_usage_is_refused_in_a_sentence(words: list[str], says: str, tmp_path: Path) -> None:
    done = traindx("skill", *words, cwd=tmp_path)
    assert done.returncode == 2
    assert says in done.stderr
    assert done.stderr.count("\n") == 1


def test_it_is_shown(tmp_path: Path) -> None:
    assert traindx("skill", "show", cwd=tmp_path).stdout == skill_file(MAIN)


def blocks() -> list[str]:
    """The commands of the skill, as they stand there."""
    texts = (text for text in skill_files().values())
    code = [block for text in texts for block in re.findall(r"(?s)```bash\n(.*?)```", text)]
    return [re.sub(r"(?m)^   ", "", block) for block in code]


@pytest.mark.slow
def test_every_command_of_the_skill_runs(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("libcst")
    from tests.cli.test_treat import written

    for name in ("hot", "cool"):
        shutil.copytree(DEMO / name, tmp_path / "runs" / name)
    written(tmp_path, "0.3")
    (tmp_path / "bin").mkdir()
    command = tmp_path / "bin" / "traindx"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m traindx "$@"\n')
    command.chmod(0o755)
    paths = [str(tmp_path / "bin"), str(Path(sys.executable).parent), os.environ["PATH"]]
    environment = {**os.environ, "PATH": os.pathsep.join(paths), "OMP_NUM_THREADS": "1"}
    assert len(blocks()) > 10
    # One after the other, in one folder, as an agent would.
    for block in blocks():
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", block],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, f"{block}{done.stdout}{done.stderr}"
    assert (tmp_path / "report.html").is_file()


def test_every_command_that_is_named_is_one(tmp_path: Path) -> None:
    from traindx.cli import build_parser

    _, commands = build_parser()
    named = re.findall(r"`traindx ([a-z-]+)", "".join(skill_files().values()))
    assert set(named) <= set(commands)
