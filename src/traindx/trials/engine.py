"""Runs the arms of trials within a budget, several at once where nothing is timed."""

import math
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Lock

from traindx.changes.types import ChangeSpec, Measure, change_of, label_of
from traindx.curves.facts import stated_number
from traindx.diagnosis.engine import diagnose
from traindx.facts import CHANCE_LOSS
from traindx.format import clock
from traindx.recorder.launch.command import Command
from traindx.trials.measurement import accuracies, accuracy, curve, end, steps_of, untrained
from traindx.trials.program import ArmSpec
from traindx.trials.runner import ArmResult, Runner
from traindx.trials.types import Arm, Candidate, Pair, Progress, TrialRun, Watcher
from traindx.trials.workspace import Workspace

TIME_OVER = "time limit reached"


@dataclass
class Budget:
    """What may be spent, and what was."""

    arms: int
    minutes: float
    spent: int = 0
    over: str = ""
    """Why nothing more can be run, whatever is left; empty while it can."""
    began: float = field(default_factory=time.monotonic)

    @property
    def left(self) -> int:
        """Arms that may still be run."""
        return 0 if self.over or self.seconds_left <= 0 else max(0, self.arms - self.spent)

    @property
    def seconds_left(self) -> float:
        """Until the time is over."""
        return 60 * self.minutes - self.seconds_spent

    @property
    def seconds_spent(self) -> float:
        """Since the first run began."""
        return time.monotonic() - self.began


Points = tuple[tuple[float, float], ...]
_PATIENCE = 4.0
"""Times what the first run took after which an arm is taken for stalled."""
_LEAST_SECONDS = 60.0


@dataclass
class Engine:
    """Everything that is needed to run one more arm."""

    command: Command
    workspace: Workspace
    runner: Runner
    folder: Path
    steps: int
    is_cut: bool
    seconds: float
    """What the first run took."""
    budget: Budget
    say: Progress
    watcher: Watcher = field(default_factory=Watcher)
    ordered: int = 0
    """Trial runs that are decided on so far."""
    _done: dict[tuple[tuple[ChangeSpec, ...], int], ArmResult] = field(default_factory=dict)
    _named: Counter[str] = field(default_factory=Counter)
    """How often an arm of a name was ordered: what is timed runs again, into a folder of its own."""
    _counting: Lock = field(default_factory=Lock)

    def known(self, done: ArmResult) -> None:
        """Take a run that is there already for the arm it is."""
        self._done[done.order.changes, done.order.seed] = done

    def prepare(self, plans: Sequence[Candidate], seeds: Sequence[int]) -> None:
        """Run the arms of several changes in parallel; those that are timed wait for their own turn."""
        untimed = [candidate for candidate in plans if candidate.measure is not Measure.SPEED]
        wanted = dict.fromkeys(arm for candidate in untimed for arm in _arms(candidate, seeds))
        self._run([arm for arm in wanted if arm not in self._done], Measure.LOSS)

    def pairs(self, candidate: Candidate, seeds: Sequence[int]) -> list[Pair]:
        """Control and treated arms of some seeds; only what is timed is run again."""
        timed = candidate.measure is Measure.SPEED
        self._run(
            [arm for arm in _arms(candidate, seeds) if timed or arm not in self._done], candidate.measure
        )
        return [self._pair(candidate, seed) for seed in seeds]

    def _pair(self, candidate: Candidate, seed: int) -> Pair:
        control, treated = self._done[(), seed], self._done[candidate.changes, seed]
        return Pair(self._arm(control, candidate.measure), self._arm(treated, candidate.measure))

    def _arm(self, done: ArmResult, measure: Measure) -> Arm:
        # The first run may have gone on for longer than arms do.
        until = self.steps if self.is_cut and not done.order.changes else None
        return as_arm(done, measure, until)

    def health(self, changes: tuple[ChangeSpec, ...], seed: int) -> float | None:
        """How likely a treated run is healthy, by its own diagnosis; None where there is none."""
        done = self._done.get((changes, seed))
        return diagnose(done.run).healthy if done is not None and done.run is not None else None

    def at_once(self, measure: Measure) -> int:
        """Arms that may run in parallel."""
        return self.runner.at_once(timed=measure is Measure.SPEED)

    def run_aside(self, orders: Sequence[ArmSpec], measure: Measure) -> list[ArmResult]:
        """Run arms that are not of the search, and not of its budget."""
        return self._beside_each_other(self.runner.carry_out, orders, measure)

    def _run(self, wanted: Sequence[tuple[tuple[ChangeSpec, ...], int]], measure: Measure) -> None:
        orders = [self.order(*arm) for arm in wanted]
        self.ordered += len(orders)
        for done in self._beside_each_other(self._carry_out, orders, measure):
            self._done[done.order.changes, done.order.seed] = done

    def _beside_each_other(
        self, carry_out: Callable[[ArmSpec], ArmResult], orders: Sequence[ArmSpec], measure: Measure
    ) -> list[ArmResult]:
        timed = measure is Measure.SPEED
        threads = self.runner.threads(timed=timed)
        with ThreadPoolExecutor(self.at_once(measure)) as pool:
            try:
                arm_results = list(
                    pool.map(carry_out, (replace(order, threads=threads, is_timed=timed) for order in orders))
                )
            except BaseException:
                # Or the pool would wait for arms that nobody waits for any more.
                self.runner.close()
                raise
        self.budget.over = self.runner.lost
        return arm_results

    def order(self, changes: tuple[ChangeSpec, ...], seed: int, called: str = "") -> ArmSpec:
        """What one more arm is to be; called by its changes where it has no other name."""
        name = called or "-".join(_as_name(str(change)) for change in changes) or "control"
        return ArmSpec(
            command=self.command,
            folder=self._new_folder(f"{name}-seed{seed}"),
            place=self.workspace.origin,
            changes=changes,
            seed=seed,
            steps=_steps(self.steps, changes) if self.is_cut else self.steps,
            is_cut=self.is_cut,
            seconds=max(_LEAST_SECONDS, _PATIENCE * self.seconds),
            waits=max(_LEAST_SECONDS, self.budget.seconds_left),
        )

    def _new_folder(self, name: str) -> Path:
        self._named[name] += 1
        again = self._named[name]
        return self.folder / (name if again == 1 else f"{name}-{again}")

    def _carry_out(self, order: ArmSpec) -> ArmResult:
        if self.budget.seconds_left <= 0:
            return ArmResult(order, None, 0.0, f"not started: {TIME_OVER}")
        with self._counting:
            self.budget.spent += 1
            spent = self.budget.spent
        what = label_of(order.changes) or "control"
        most = self.budget.arms
        # A proof that has begun is brought to its end.
        number = f"{spent}/{most}" if spent <= most else f"{spent} (over the limit, finishing a pair)"
        elapsed, limit = clock(self.budget.seconds_spent), clock(60 * self.budget.minutes)
        self.say(f"trial {number}: {what}, seed {order.seed} · {elapsed} elapsed, limit {limit}")
        steps = order.steps or self.steps
        trial_run = TrialRun(spent, self.ordered, what, order.seed, steps, self.seconds, order.folder)
        self.watcher.begins(trial_run)
        began = time.monotonic()
        done = self.runner.carry_out(order)
        if done.refused:
            # Nothing was tried: the program has nothing that could be changed.
            with self._counting:
                self.budget.spent -= 1
        is_reused = done.order.folder != order.folder
        self.watcher.ends(trial_run, time.monotonic() - began, is_reused=is_reused)
        return done


def _arms(candidate: Candidate, seeds: Sequence[int]) -> list[tuple[tuple[ChangeSpec, ...], int]]:
    """What is run of a change; in turn, so that whatever drifts on the machine meets both sides."""
    arms: list[tuple[tuple[ChangeSpec, ...], int]] = []
    for seed in seeds:
        both: list[tuple[tuple[ChangeSpec, ...], int]] = [((), seed), (candidate.changes, seed)]
        arms += both if seed % 2 == 0 else reversed(both)
    return arms


def as_arm(done: ArmResult, measure: Measure, until: float | None = None) -> Arm:
    """What a run is worth as an arm, up to a step."""
    order, run = done.order, done.run
    value = end(run, measure, until) if run is not None else None
    if done.crashed:
        # The program stopped with an error of its own: that is an outcome, and the worst.
        value = -math.inf if measure.is_better_higher else math.inf
    elif done.problem:
        value = None
    return Arm(
        seed=order.seed,
        changes=order.changes,
        folder=str(order.folder),
        value=None if done.refused else value,
        curve=_until(curve(run, measure), until) if run is not None else (),
        steps=steps_of(run) if run is not None else 0,
        problem=done.problem,
        refused=done.refused,
        metric=accuracy(run, until) if run is not None else None,
        metrics=_until(accuracies(run), until) if run is not None else (),
        loss=end(run, Measure.LOSS, until) if run is not None else None,
        start=untrained(run) if run is not None else None,
        chance=stated_number(run, CHANCE_LOSS) if run is not None else None,
    )


def _until(points: Points, step: float | None) -> Points:
    return points if step is None else tuple(point for point in points if point[0] <= step)


def _steps(steps: int, changes: Sequence[ChangeSpec]) -> int:
    """As many samples in both arms: a smaller batch takes more steps."""
    factor = math.prod(spec.number for spec in changes if spec.is_factor and change_of(spec).scales_batch)
    return max(1, round(steps / factor))


def _as_name(text: str) -> str:
    return "".join(letter if letter.isalnum() or letter == "." else "_" for letter in text)
