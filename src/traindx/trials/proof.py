"""Whether a patched program does what the trials showed, and its proof in the folder of the treatment.

`traindx apply` writes a proven patch without another trial.
"""

import json
import os
import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from traindx.changes.source.delivery import patches_of
from traindx.changes.source.patch import Patch, refusal_of
from traindx.diagnosis.engine import diagnose
from traindx.errors import TraindxError
from traindx.format import count
from traindx.recorder.launch.command import Command
from traindx.run import Run
from traindx.trials.effect import gain
from traindx.trials.engine import Engine, as_arm
from traindx.trials.program import ArmSpec
from traindx.trials.types import Pair, Treatment, Trial

_FILE = "proof.json"
_NO_PATCH = "no_patch.txt"
"""Why a proven fix has no patch."""


@dataclass(frozen=True)
class Proof:
    """What is known of a patch: that a treatment proved it, when, and whether it was applied."""

    patch: Patch
    verdict: str
    """With how many seeds it helped: "3 of 3 seeds"."""
    when: str
    """In UTC, as ISO 8601: texts in this form sort by time."""
    reproduced: bool | None = None
    """Whether the patched program showed the effect; None where it was not run."""
    backup: str = ""
    """Where the file as it was is kept; empty while the patch is not applied."""
    more_backups: tuple[str, ...] = ()
    """The same for the other files of the patch."""

    @property
    def age(self) -> float:
        """Seconds since it was proven."""
        return (datetime.now(UTC) - datetime.fromisoformat(self.when)).total_seconds()


def new_proof(patch: Patch, verdict: str, reproduced: bool | None) -> Proof:
    """A patch that was proven just now."""
    return Proof(patch, verdict, datetime.now(UTC).isoformat(timespec="milliseconds"), reproduced)


def write_proof(folder: Path, proof: Proof) -> None:
    """Keep a proof in the folder of its treatment, or what has become of it."""
    try:
        (folder / _FILE).write_text(json.dumps(asdict(proof), indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise TraindxError(f"{folder / _FILE}: can't write it ({error.strerror})") from error


def write_no_patch(folder: Path, says: str) -> None:
    """Keep why the fix that a treatment proved has no patch."""
    try:
        (folder / _NO_PATCH).write_text(f"{says}\n", encoding="utf-8")
    except OSError as error:
        raise TraindxError(f"{folder / _NO_PATCH}: can't write it ({error.strerror})") from error


def applied(proof: Proof, backups: Sequence[Path]) -> Proof:
    """The proof of a patch that was applied, with what is kept of its files; or undone again, without any."""
    first, *others = [*map(str, backups)] or [""]
    return replace(proof, backup=first, more_backups=tuple(others))


def read_proof(folder: Path) -> Proof:
    """The proof in the folder of a treatment; refused where there is none."""
    try:
        record = json.loads((folder / _FILE).read_text(encoding="utf-8"))
        backups = tuple(record.pop("more_backups", ()))
        return Proof(**{**record, "patch": _patch_from(record["patch"]), "more_backups": backups})
    except FileNotFoundError:
        with suppress(OSError):
            raise TraindxError((folder / _NO_PATCH).read_text(encoding="utf-8").strip()) from None
        todo = "see its report, or treat the program again"
        raise TraindxError(f"{folder}: this treatment proved no patch; {todo}") from None
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise TraindxError(f"{folder / _FILE}: damaged ({error}); treat the program again") from error


def _patch_from(fields: dict[str, Any]) -> Patch:
    """A patch as JSON tells it."""
    also = tuple(map(_patch_from, fields.pop("also", ())))
    patch = Patch(**fields, also=also)
    return patch if patch.arguments is None else replace(patch, arguments=tuple(patch.arguments))


def treatments_in(out: Path) -> list[Path]:
    """The folders of treatments that proved a patch, the last proven last."""
    return [folder for _, folder in sorted((proof.when, folder) for folder, proof in _proofs(out))]


def last_unpatched(out: Path) -> Path | None:
    """The treatment that proved a fix without a patch, if nothing was proven after it."""
    files = [*out.glob(f"*/{_NO_PATCH}"), *out.glob(f"*/{_FILE}")]
    last = max(files, key=lambda path: path.stat().st_mtime, default=None)
    return last.parent if last is not None and last.name == _NO_PATCH else None


def applied_in(out: Path) -> list[Path]:
    """The folders of treatments whose patch is applied, the last applied last."""
    paths = [folder for folder, proof in _proofs(out) if proof.backup]
    # The proof is written anew when its patch is applied.
    return sorted(paths, key=lambda folder: (folder / _FILE).stat().st_mtime)


def _proofs(out: Path) -> Iterator[tuple[Path, Proof]]:
    """All that can be read; whoever names another one hears what is wrong with it."""
    for path in out.glob(f"*/{_FILE}"):
        with suppress(TraindxError):
            yield path.parent, read_proof(path.parent)


_REPRODUCED = 0.5
"""Of the gain of the trial: a patch that has less does something else."""
_PAIRS = 2
"""Seeds that the patched program is run with."""


def with_patch(treatment: Treatment, engine: Engine, run: Run) -> tuple[Treatment, Patch | None]:
    """A treatment with the verified patch of its best trial, or with the reason why there is none."""
    best = treatment.best
    if best is None:
        return treatment, None
    try:
        patches = [_as_typed(patch, engine.command) for patch in patches_of(best.changes, run)]
        refusal = "" if patches else refusal_of(best.changes, run)
    except Exception as error:  # a source may be written as no edit expects
        patches, refusal = [], f"{type(error).__name__}: {error}; report this bug"
    if not patches:
        return replace(treatment, patch_says=refusal), None
    patch, rerun = _verified(engine, best, patches)
    command = patch.after if patch.arguments is not None else ""
    treatment = replace(treatment, patch=patch.diff, patch_says=patch.says, command=command)
    if rerun is None:
        return treatment, patch
    judged = replace(best, healthy_after=rerun.healthy)
    trials = tuple(judged if trial is best else trial for trial in treatment.trials)
    return replace(treatment, trials=trials, best=judged, patch_verified=rerun.reproduces), patch


def _as_typed(patch: Patch, command: Command) -> Patch:
    """A patch of the command line as one of the command that was given to us."""
    if patch.arguments is None:
        return patch
    first, *others = command.words
    words = ["python" if first == sys.executable else os.path.basename(first), *others]
    start = words[: len(words) - patch.replaced]
    return replace(patch, before=shlex.join(words), after=shlex.join([*start, *patch.arguments]))


def _verified(engine: Engine, best: Trial, patches: list[Patch]) -> tuple[Patch, "Rerun | None"]:
    """The first patch that reproduces the effect, and what its program did; the surest where none does."""
    tried = []
    for patch in patches:
        tried.append((patch, verify_patch(engine, best, patch)))
        rerun = tried[-1][1]
        if rerun is None or rerun.reproduces:
            return tried[-1]
    return tried[0]


@dataclass(frozen=True)
class Rerun:
    """What the patched program did."""

    reproduces: bool
    """Whether it is as much better as the treated arms were."""
    healthy: float | None
    """How likely it is healthy, by its own diagnosis; None where nothing was recorded."""


def verify_patch(engine: Engine, best: Trial, patch: Patch) -> Rerun | None:
    """Run the patched program with the seeds of the first trials; None where it cannot be run."""
    over = engine.budget.over or engine.budget.seconds_left <= 0
    # By their own names: a copy holds what a link leads to under the name of the link.
    root = engine.workspace.root.absolute()
    on_command_line = patch.arguments is not None
    files = [] if on_command_line else [(Path(part.path).absolute(), part.content) for part in patch.files]
    is_inside = engine.workspace.copies and all(path.is_relative_to(root) for path, _ in files)
    if over or not (on_command_line or is_inside):
        return None

    def patched(pair: Pair) -> ArmSpec:
        # As long as the treated arm: a smaller batch takes more steps.
        order = replace(engine.order(best.changes, pair.control.seed, "patched"), changes=())
        if on_command_line:
            first, *_ = engine.command.words
            words = (first, *shlex.split(patch.after)[1:])
            return replace(order, command=replace(engine.command, words=words))
        named = ((path.relative_to(root).as_posix(), content) for path, content in files)
        return replace(order, replaced=tuple(named))

    engine.say(f"rerunning the patched program ({count(_PAIRS, 'seed')})")
    first = best.pairs[:_PAIRS]
    ran = engine.run_aside([patched(pair) for pair in first], best.measure)
    if engine.budget.over:
        return None
    pairs = [Pair(pair.control, as_arm(done, best.measure)) for pair, done in zip(first, ran, strict=True)]
    recorded = ran[0].run
    return Rerun(
        gain(pairs, best.measure) >= _REPRODUCED * gain(first, best.measure),
        diagnose(recorded).healthy if recorded is not None else None,
    )
