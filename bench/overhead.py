"""What recording costs a training, in percent of a plain step: traindx, its peers, a loop written by hand.

    python bench/overhead.py [--quick] [--only mlp,deep] [--contestants traindx,norms] [--rounds 7]

Each contestant trains a model of its own. All take turns in one process, a block of a few steps each, in
an order that changes from block to block: what else the machine does weighs on all alike. Time is the CPU
time of this process, all its threads included; what wandb does in a second process comes on top. A round is
a whole run of every contestant. A figure is the median over the rounds, with the lowest and the highest
beside it; how far "plain, a second time" is from 0 tells what the figures are worth.

"whole run" has every step in it, the first ones too, which are looked at closely; "steady" only those after
the opening. "says of itself" is what traindx states in its recording. "once" is what starting and ending the
tool takes outside of all steps, imports included (they count in the first round of the first training).

The peers: pip install -c constraints.txt -e '.[bench]'. What is not installed is said, not left out. A full
measurement takes about an hour on a quiet machine, a quick one ten minutes.
"""

import argparse
import gc
import platform
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import torch

from overhead_contestants import AGAIN, CONTESTANTS, PLAIN, Contestant, Session
from overhead_workloads import WORKLOADS, Workload

_BLOCK_SECONDS = 0.025
"""Short, because the machine changes: on two busy cores 0.1 s gave five times the noise."""
_WARMING_SECONDS, _MOST_WARMING = 0.012, 4
"""How long, in seconds and in steps, a block is not timed at first: the caches hold what the others used."""
_PEER_ROUNDS = 2
"""Rounds that tools take part in whose cost stands out of the noise at once."""
_DRAIN_SECONDS = 0.002
"""A sleep at the end of a block: what a tool's threads still do is counted to that tool."""


@dataclass(frozen=True)
class Run:
    """CPU seconds of one contestant in one round."""

    whole: float
    settled: float
    """Of the steps from `Workload.settled` on."""
    once: float
    """Of starting and ending the tool, outside of all steps."""
    claim: float | None
    """The share of the run's time that the tool itself says it took."""


def steps_of(session: Session) -> Iterator[None]:
    """The loop of the training; it stops after every step."""
    training, step = session.training, 0
    model, optimizer, loss_of = training.model, training.optimizer, training.loss
    while True:
        for inputs, targets in training.loader:
            step += 1
            optimizer.zero_grad()
            loss = loss_of(model(inputs), targets)
            loss.backward()
            session.after_backward(step, loss)
            optimizer.step()
            yield


@dataclass(frozen=True)
class Block:
    """Steps that a contestant takes in a row."""

    first: int
    steps: int
    warming: int


def blocks_of(workload: Workload, step_seconds: float, seed: int) -> list[Block]:
    """A run cut into blocks whose lengths vary: what a tool does every 100 steps must not meet a pattern.

    The first block is timed as a whole: the first steps are looked at most closely.
    """
    size = max(5, round(_BLOCK_SECONDS / step_seconds))
    warming = min(_MOST_WARMING, round(_WARMING_SECONDS / step_seconds))
    dice, blocks, first = random.Random(seed), [], 0
    while first < workload.steps:
        end = workload.settled if first < workload.settled else workload.steps
        steps = min(max(2, round(size * dice.uniform(0.75, 1.25))), end - first)
        blocks.append(Block(first, steps, min(warming, steps // 3) if first else 0))
        first += steps
    return blocks


class _Turn:
    """A contestant in the middle of its run."""

    def __init__(self, contestant: Contestant, workload: Workload, folder: Path) -> None:
        self.contestant = contestant
        self._taken: dict[int, float] = {}
        began = time.process_time()
        self._session = contestant.start(folder, workload.make)
        self._session.pause()
        self._once = time.process_time() - began
        self._steps = steps_of(self._session)

    def go(self, block: Block) -> None:
        """Train for a block of steps; those that are not timed count like the others of the block."""
        self._session.resume()
        for _ in range(block.warming):
            next(self._steps)
        began = time.process_time()
        for _ in range(block.steps - block.warming):
            next(self._steps)
        self._session.pause()
        time.sleep(_DRAIN_SECONDS)
        seconds = time.process_time() - began
        self._taken[block.first] = seconds * block.steps / (block.steps - block.warming)

    def end(self, settled: int) -> Run:
        """End the tool; `settled` is the step that the steady state begins at."""
        self._session.resume()
        began = time.process_time()
        claim = self._session.close()
        once = self._once + time.process_time() - began
        late = sum(seconds for first, seconds in self._taken.items() if first >= settled)
        return Run(sum(self._taken.values()), late, once, claim)


def round_of(
    workload: Workload, contestants: Sequence[Contestant], blocks: Sequence[Block]
) -> dict[str, Run]:
    """A whole run of every contestant, in turns."""
    gc.collect()
    with tempfile.TemporaryDirectory() as folder:
        turns = [_Turn(contestant, workload, Path(folder) / contestant.name) for contestant in contestants]
        for number, block in enumerate(blocks):
            # Each goes first as often as last, and each follows each.
            shift = number % len(turns)
            order = turns[shift:] + turns[:shift]
            for turn in order if number % 2 else reversed(order):
                turn.go(block)
        return {turn.contestant.name: turn.end(workload.settled) for turn in turns}


def seconds_of_step(workload: Workload) -> float:
    """CPU seconds of a plain step, roughly."""
    steps, taken = steps_of(Session(workload.make())), []
    for _ in range(7):
        began = time.process_time()
        next(steps)
        taken.append(time.process_time() - began)
    return statistics.median(taken)


@dataclass(frozen=True)
class Spread:
    """A median and the range around it."""

    middle: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.middle:.2f} ({self.low:.2f} to {self.high:.2f})"


def _spread(values: Sequence[float]) -> Spread:
    return Spread(statistics.median(values), min(values), max(values))


def _percent(rounds: Sequence[dict[str, Run]], name: str, seconds: Callable[[Run], float]) -> Spread:
    """What a contestant takes beyond the two plain runs of the same round."""
    shares = []
    for runs in rounds:
        others = (PLAIN,) if name == AGAIN.name else (PLAIN, AGAIN)
        plain = statistics.mean(seconds(runs[contestant.name]) for contestant in others)
        shares.append(100 * (seconds(runs[name]) / plain - 1))
    return _spread(shares)


def lines_of(
    workload: Workload, contestants: Sequence[Contestant], rounds: Sequence[dict[str, Run]]
) -> list[str]:
    """The rows of the table for one training."""
    plain = [runs[contestant.name].whole for runs in rounds for contestant in (PLAIN, AGAIN)]
    each = 1e3 * statistics.median(plain) / workload.steps
    title = (
        f"{workload.name}: {workload.steps:,} steps of {each:.2f} ms, steady from {workload.settled + 1:,}"
    )
    lines = [f"| {title} | | | | | |"]
    for entry in contestants:
        mine = [runs for runs in rounds if entry.name in runs]
        if not mine or entry is PLAIN:
            continue
        whole = _percent(mine, entry.name, lambda run: run.whole)
        steady = _percent(mine, entry.name, lambda run: run.settled)
        claims = [100 * claim for runs in mine if (claim := runs[entry.name].claim) is not None]
        aim = f"; the aim is {workload.goal:.0f}" if entry.name == "traindx" else ""
        said = str(_spread(claims)) if claims else ""
        lines.append(
            f"| | {entry.says} | {whole}{aim} | {steady} | {said} | {1e3 * mine[0][entry.name].once:.0f} |"
        )
    return lines


def measure(workload: Workload, contestants: Sequence[Contestant], count: int) -> list[str]:
    """All rounds of one training."""
    step_seconds, rounds = seconds_of_step(workload), []
    for number in range(count):
        taking_part = [
            contestant for contestant in contestants if contestant.every_round or number < _PEER_ROUNDS
        ]
        rounds.append(round_of(workload, taking_part, blocks_of(workload, step_seconds, seed=number)))
        print(f"{workload.name}: round {number + 1} of {count}", file=sys.stderr, flush=True)
    return lines_of(workload, contestants, rounds)


def _chosen(names: str, all_names: Sequence[str]) -> list[str]:
    chosen = [name for name in names.split(",") if name]
    for name in chosen:
        if name not in all_names:
            sys.exit(f"{name} is not measured here; choose from {', '.join(all_names)}")
    return chosen or list(all_names)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="a quarter of the steps, two rounds")
    parser.add_argument("--only", default="", help="trainings: cnn, gpt, mlp, deep")
    parser.add_argument("--contestants", default="", help=", ".join(each.name for each in CONTESTANTS))
    parser.add_argument("--rounds", type=int, default=0, help="7 unless told; 2 when quick")
    options = parser.parse_args()
    torch.set_num_threads(1)
    only = _chosen(options.only, [each.name for each in WORKLOADS])
    names = _chosen(options.contestants, [each.name for each in CONTESTANTS])
    wanted = [each for each in CONTESTANTS if each.name in names]
    taking_part = [PLAIN, *(each for each in wanted if each.installed), AGAIN]
    print(f"Python {platform.python_version()}, torch {torch.__version__}, one thread, {platform.machine()}")
    for each in wanted:
        if not each.installed:
            print(f"{each.name}: {each.module} is not installed")
    lines = [
        "| training | tool | whole run, % | steady, % | says of itself, % | once, ms |",
        "|---|---|--:|--:|--:|--:|",
    ]
    for workload in (each for each in WORKLOADS if each.name in only):
        size = 4 if options.quick else 1
        sized = replace(workload, steps=workload.steps // size, settled=workload.settled // size)
        lines += measure(sized, taking_part, options.rounds or (2 if options.quick else 7))
    print("\n" + "\n".join(lines))


if __name__ == "__main__":
    main()
