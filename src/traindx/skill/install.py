"""Puts the skill where agents look for it, and overwrites nothing that somebody changed."""

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from traindx.errors import TraindxError, UnknownNameError

NAME = "traindx"
"""What the skill is called, and its folder as well: the convention wants them to be the same."""
MAIN = "SKILL.md"
_SOURCE = Path(__file__).parent


@dataclass(frozen=True)
class Agent:
    """Where an agent looks for skills; docs/agents.md says where that is written."""

    title: str
    project: str
    """Below the folder of a project."""
    user: str
    """Below the home folder."""


AGENTS = {
    "generic": Agent("agents that follow the open convention", ".agents/skills", ".agents/skills"),
    "claude": Agent("Claude Code", ".claude/skills", ".claude/skills"),
    "codex": Agent("Codex", ".agents/skills", ".agents/skills"),
    "copilot": Agent("GitHub Copilot", ".github/skills", ".copilot/skills"),
    "cursor": Agent("Cursor", ".cursor/skills", ".cursor/skills"),
    "gemini": Agent("Gemini CLI", ".gemini/skills", ".gemini/skills"),
    "opencode": Agent("OpenCode", ".opencode/skills", ".config/opencode/skills"),
}


@dataclass(frozen=True)
class Planned:
    """A file of the skill, what it is to hold and what is there."""

    place: Path
    content: str
    before: str | None
    """None where there is no file yet."""

    @property
    def is_new(self) -> bool:
        """Whether there is no file yet."""
        return self.before is None

    @property
    def is_changed(self) -> bool:
        """Whether a file is there that holds something else."""
        return self.before is not None and self.before != self.content

    @property
    def diff(self) -> str:
        """What would change, as a unified diff."""
        before, after = (self.before or "").splitlines(), self.content.splitlines()
        lines = difflib.unified_diff(before, after, str(self.place), str(self.place), lineterm="")
        return "\n".join(lines)

    @property
    def size(self) -> str:
        """How many lines would come and go: "+3 -1"."""
        lines = self.diff.splitlines()[2:]
        return " ".join(f"{sign}{sum(line.startswith(sign) for line in lines)}" for sign in "+-")


def skill_files() -> dict[str, str]:
    """Every file of the skill by its path in the skill's folder, the main one first."""
    files = sorted(path for path in _SOURCE.rglob("*.md"))
    names = sorted((str(path.relative_to(_SOURCE)) for path in files), key=lambda name: (name != MAIN, name))
    return {name: (_SOURCE / name).read_text(encoding="utf-8") for name in names}


def skill_file(name: str) -> str:
    """One file of the skill; a near miss is suggested."""
    files = skill_files()
    if name not in files:
        raise UnknownNameError("file of the skill", name, files)
    return files[name]


def folders_of(agents: Iterable[str], above: Path, *, of_user: bool) -> list[Path]:
    """Where the skill goes for some agents, each folder once."""
    known = [AGENTS[name] for name in agents]
    return list(dict.fromkeys(above / (agent.user if of_user else agent.project) / NAME for agent in known))


def planned(folder: Path) -> list[Planned]:
    """What it takes to have the skill in a folder."""
    return [Planned(folder / name, text, _held(folder / name)) for name, text in skill_files().items()]


def write(files: Iterable[Planned]) -> None:
    """Put files in their places."""
    for file in files:
        try:
            file.place.parent.mkdir(parents=True, exist_ok=True)
            file.place.write_text(file.content, encoding="utf-8")
        except OSError as error:
            raise TraindxError(
                f"{file.place}: cannot be written ({error.strerror}); choose another place with --dir"
            ) from error


def _held(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise TraindxError(
            f"{path}: cannot be read ({error.strerror}); choose another place with --dir"
        ) from error
