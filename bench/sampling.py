"""What a slower machine would change: answers on the recorded scripts after thinning, against those before.

python bench/sampling.py [--signs]
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.scripted import RECORDINGS, kept_runs
from tests.thinned import MACHINES, thinned

from traindx.diagnosis import knowledge
from traindx.diagnosis.engine import diagnose
from traindx.finding import Finding
from traindx.run import Run


def runs() -> Iterator[tuple[str, Run]]:
    """Every kept recording, those of the repaired scripts included."""
    for archive in sorted(RECORDINGS.rglob("*.tar.xz")):
        for number, run in enumerate(kept_runs(archive)):
            yield f"{archive.parent.name}/{archive.name.removesuffix('.tar.xz')}#{number}", run


def answers(run: Run) -> dict[str, str]:
    """What every sign answers, by kind."""
    by_slug = {sign.slug: sign(run) for sign in knowledge.signs()}
    return {slug: "yes" if isinstance(answer, Finding) else repr(answer) for slug, answer in by_slug.items()}


def judged(run: Run) -> tuple[str, str]:
    """The verdict and the first cause."""
    diagnosis = diagnose(run)
    return diagnosis.verdict.value, diagnosis.suspects[0].cause.slug if diagnosis.suspects else "-"


def main() -> None:
    """Print what changes."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--signs", action="store_true", help="also name the signs whose answers change")
    with_signs = parser.parse_args().signs
    verdicts: Counter[str] = Counter()
    causes: Counter[str] = Counter()
    signs: Counter[tuple[str, str, str]] = Counter()
    count = 0
    for name, run in runs():
        count += 1
        before, asked = judged(run), answers(run) if with_signs else {}
        for machine in MACHINES:
            other = thinned(run, machine)
            after = judged(other)
            if after != before:
                verdicts[machine.name] += after[0] != before[0]
                causes[machine.name] += after[1] != before[1]
                print(f"{name}, {machine.name}: {' '.join(before)} -> {' '.join(after)}")
            for slug, answer in (answers(other) if with_signs else {}).items():
                if answer != asked[slug]:
                    signs[slug, asked[slug], answer] += 1
                    print(f"    {name}, {machine.name}: {slug} {asked[slug]} -> {answer}")
    print(f"\n{count} recordings; changed per machine: verdicts, first causes")
    for machine in MACHINES:
        print(f"{machine.name:24}{verdicts[machine.name]:4}{causes[machine.name]:4}")
    for (slug, was, is_), times in signs.most_common():
        print(f"{times:5}  {slug}: {was} -> {is_}")


if __name__ == "__main__":
    main()
