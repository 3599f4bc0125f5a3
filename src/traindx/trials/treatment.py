"""From a command to a proven fix: record it, diagnose it, try what that asks for, write the patch."""

import os
import shutil
from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from traindx.changes.source.delivery import certain_patch
from traindx.changes.source.patch import Patch
from traindx.changes.types import ChangeSpec, name_of, parse_changes
from traindx.diagnosis.engine import diagnose
from traindx.diagnosis.types import Diagnosis, Verdict
from traindx.errors import TraindxError
from traindx.format import Displayed
from traindx.recorder.launch.command import Command, command_from, new_run_folder
from traindx.run import Run
from traindx.trials.casebook import Casebook
from traindx.trials.engine import Budget, Engine
from traindx.trials.measurement import arm_length, steps_of
from traindx.trials.plan import candidates, is_worth_trying, measured_by, resolved_together
from traindx.trials.program import OUTPUT, ArmSpec
from traindx.trials.proof import with_patch
from traindx.trials.ray.runner import LOCAL, Cluster, RayRunner, cluster_of
from traindx.trials.run_cache import CachedRunner
from traindx.trials.runner import ArmResult, LocalRunner, Runner
from traindx.trials.search import SEEDS, searched, updated
from traindx.trials.types import Candidate, Progress, Report, Treatment, Trial, Watcher
from traindx.trials.workspace import IN_PLACE, Workspace, relocated, wider, workspace_of

_FIRST = 0.4
"""Of the time: what the first run may take at most, from which the diagnosis is made."""


_AHEAD = 6
"""Changes that are likely to be tried: arms are long enough to show what they do."""
_CONTROL = "control"
_WEIGHTS = "weights.pt"


@dataclass(frozen=True)
class TreatOptions:
    """How a command is to be treated."""

    steps: int | None = None
    """Steps of every trial run."""
    seconds: float | None = None
    """Seconds of every trial run, about."""
    arms: int = 24
    minutes: float = 10.0
    seeds: int = len(SEEDS)
    only: tuple[str, ...] = ()
    """Changes that are tried whatever the diagnosis is, such as "optimizer.lr x 0.1", or several at once with
    a plus between them; empty for those that the diagnosis asks for."""
    dry: bool = False
    """Whether only the plan is made."""
    saves_model: Path | None = None
    """Where the weights of the fixed model go."""
    in_place: bool = False
    """Whether trial runs use the working directory itself instead of copies."""

    def __post_init__(self) -> None:
        for name in ("steps", "seconds", "arms", "minutes", "seeds"):
            value, option = getattr(self, name), "trials" if name == "arms" else name
            if value is not None and not value > 0:
                raise TraindxError(f"--{option} must be greater than 0")

    @property
    def changes(self) -> tuple[tuple[ChangeSpec, ...], ...]:
        """What `only` asks for."""
        return tuple(parse_changes(text) for text in self.only)


@dataclass(frozen=True, repr=False)
class TreatResult(Displayed):
    """What came out."""

    report: Report
    treatment: Treatment
    patch: Patch | None
    plan: tuple[Candidate, ...]
    beliefs: tuple[tuple[str, float, float], ...]
    """Causes, with their confidence before the trials and after them."""
    command: str
    folder: Path
    seconds: float
    """What one trial run takes."""
    notes: tuple[str, ...] = ()
    elapsed: float = 0.0
    """Seconds that all of it took."""


def treat(
    command: str | Path | Sequence[str],
    wish: TreatOptions | None = None,
    *,
    out: Path | str = ".traindx/treatments",
    name: str | None = None,
    say: Progress | None = None,
    watcher: Watcher | None = None,
    keeps_case: bool = True,
    engine: str = LOCAL,
    address: str | None = None,
    cpus_per_arm: int | None = None,
    gpus_per_arm: float | None = None,
) -> TreatResult:
    """Record and diagnose a program, and try changes until one is proven or the budget is spent.

    The program is a script or the words of a command. All runs are kept in a new folder below `out`; those
    that finished within a day are not run again by another treatment of the same command and files. The case
    is kept in the casebook of the working directory if `keeps_case`. `say` is called with one line of
    progress at a time; a `watcher` hears of the diagnosis and of every trial run.

    Trial runs are processes of this machine. With the engine "ray" they are Ray tasks, on this machine or on
    the cluster at `address`; each needs `cpus_per_arm` CPUs (default 1) and `gpus_per_arm` GPUs (default 0).
    """
    # Not before it is needed: it loads torch.
    from traindx.changes.live.apply import check

    wish = wish or TreatOptions()
    for change in chain.from_iterable(wish.changes):
        check(change)
    cluster = cluster_of(engine, address, cpus_per_arm, gpus_per_arm)
    words = [str(command)] if isinstance(command, str | Path) else list(command)
    program = command_from(words, os.environ)
    folder = new_run_folder(Path(out), program.name, name).resolve()
    book = Casebook()
    says: Progress = say or (lambda _: None)
    treated, root = None, None
    while treated is None:
        workspace = workspace_of(
            Path.cwd(),
            program.words,
            folder,
            in_place=wish.in_place,
            root=root,
            may_link=cluster is None,
        )
        with closing(_runner(cluster, workspace, folder, says)) as runner:
            first = _first(program, folder, workspace, runner, wish, says)
            root = wider(workspace, first.problem)
            if root is None:
                treated = _treated(program, folder, first, workspace, runner, wish, book, says, watcher)
            else:
                shutil.rmtree(folder / _CONTROL)
    if keeps_case:
        try:
            book.record(treated.report.diagnoses[0], treated.treatment, command=treated.command)
        except TraindxError as error:
            # The treatment counts without its case.
            treated = replace(treated, notes=(*treated.notes, str(error)))
    return treated


def _runner(cluster: Cluster | None, workspace: Workspace, folder: Path, say: Progress) -> Runner:
    try:
        made = LocalRunner(workspace) if cluster is None else RayRunner(cluster, workspace, folder, say)
        return CachedRunner(made, workspace, folder)
    except BaseException:
        with suppress(OSError):  # Ray's own words are in it
            folder.rmdir()
        raise


def _treated(
    command: Command,
    folder: Path,
    first: ArmResult,
    workspace: Workspace,
    runner: Runner,
    wish: TreatOptions,
    book: Casebook,
    say: Progress,
    watcher: Watcher | None,
) -> TreatResult:
    budget = Budget(wish.arms, wish.minutes)
    budget.began -= first.seconds
    notes = [] if workspace.copies else [IN_PLACE]
    watcher = watcher or Watcher()
    if first.run is None:
        output = folder / _CONTROL / OUTPUT
        raise TraindxError(
            f"{command.title}: {first.problem}" + (f"; output: {output}" if output.exists() else "")
        )
    run = replace(relocated(first.run, first.order.place, workspace), name=folder.name)
    diagnosis = diagnose(run)
    watcher.diagnosed(run, diagnosis)
    plan = _plan(diagnosis, run, wish, book)
    length = arm_length(
        run,
        first.seconds,
        {candidate.measure for candidate in plan[:_AHEAD]},
        wanted=wish.steps,
        arm_seconds=wish.seconds,
        left=budget.seconds_left,
        at_once=runner.at_once(timed=False),
    )
    steps = length.steps
    engine = Engine(
        command=command,
        workspace=workspace,
        runner=runner,
        folder=folder / "arms",
        steps=steps,
        is_cut=steps < steps_of(run) or wish.steps is not None or bool(first.problem and not first.crashed),
        seconds=first.seconds,
        budget=budget,
        say=say,
        watcher=watcher,
    )
    engine.known(replace(first, run=run, problem="" if not first.crashed else first.problem))
    treatment, patch = Treatment((), None), None
    if plan and not wish.dry and (wish.only or is_worth_trying(diagnosis, plan)):
        if diagnosis.verdict is Verdict.HEALTHY and not wish.only:
            notes.append(f"the run looks healthy; {plan[0].cause} was still likely enough to try")
        notes += [length.note] if length.note else []
        treatment = searched(engine, plan, tuple(range(wish.seeds)), only=bool(wish.only))
        treatment, patch = with_patch(treatment, engine, run)
        if treatment.best is not None and wish.saves_model is not None:
            notes += _save_model(engine, treatment.best, wish.saves_model)
    if treatment.trials:
        treatment = replace(treatment, notes=(*treatment.notes, *runner.notes))
        notes += runner.notes
    before = [(suspect.cause.slug, suspect.confidence) for suspect in diagnosis.suspects]
    after = dict(updated(diagnosis.suspects, treatment.trials))
    tells_causes_apart = any(trial.cause for trial in treatment.trials)
    return TreatResult(
        report=Report((run,), (), 0, (diagnosis,), treatment=treatment),
        treatment=treatment,
        patch=patch,
        plan=tuple(plan),
        beliefs=tuple((slug, share, after[slug]) for slug, share in before) if tells_causes_apart else (),
        command=" ".join(command.words),
        folder=folder,
        seconds=first.seconds * steps / max(1, steps_of(run)),
        notes=tuple(notes),
        elapsed=budget.seconds_spent,
    )


def _first(
    command: Command, folder: Path, workspace: Workspace, runner: Runner, wish: TreatOptions, say: Progress
) -> ArmResult:
    """The program as it is, with its own seeds: what is diagnosed, and the first control arm."""
    say("recording the program without changes")
    order = ArmSpec(
        command=command,
        folder=folder / _CONTROL,
        place=workspace.origin,
        steps=wish.steps,
        is_cut=wish.steps is not None,
        seconds=60 * wish.minutes * _FIRST,
        waits=60 * wish.minutes * _FIRST,
        is_first=True,
    )
    return runner.carry_out(order)


def _plan(diagnosis: Diagnosis, run: Run, wish: TreatOptions, book: Casebook) -> list[Candidate]:
    asked_for = [
        replace(candidate, is_written=certain_patch(candidate.changes, run) is not None)
        for candidate in candidates(diagnosis, run, book.past_effects())
    ]
    if not wish.only:
        return asked_for
    symptoms = diagnosis.suspects[0].cause.symptoms if diagnosis.suspects else ()
    # What the diagnosis asks for too says something about its cause.
    known = {candidate.changes: replace(candidate, worth=1.0) for candidate in asked_for}
    plan = []
    for only in wish.changes:
        changes = resolved_together(only, run)
        if changes is None:
            raise TraindxError(
                f'"{name_of(only)}": the run has no validation loss with a minimum before its end'
            )
        measure = measured_by(symptoms, changes, run)
        plan.append(known.get(changes) or Candidate(changes, "", name_of(changes), measure, worth=1.0))
    return plan


def _save_model(engine: Engine, best: Trial, into: Path) -> list[str]:
    """Run the best arm once more, and keep the weights it ends with; what is to be noted of that."""
    engine.say("training with the fix once more to save the weights")
    order = engine.order(best.changes, 0, "saved")
    order = replace(order, saves=(order.folder / _WEIGHTS).resolve())
    (done,) = engine.run_aside([order], best.measure)
    weights = order.folder / _WEIGHTS
    why = engine.budget.over or ("" if weights.exists() else done.problem or "the program has no model")
    if not why:
        try:
            shutil.copy(weights, into)
        except OSError as error:
            why = f"{error.strerror}; copy them from {weights}"
    return [f"weights not saved to {into}: {why}"] if why else []
