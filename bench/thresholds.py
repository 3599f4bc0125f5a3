"""How much every limit matters: each sign asked again with half and twice its limit, on labeled trainings.

python bench/thresholds.py     prints the table of bench/thresholds.md
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.recorded import Case, cases, curve

from traindx.diagnosis import knowledge
from traindx.finding import Finding, Sign

FACTORS = (0.5, 1.0, 2.0)


def seen(sign: Sign, among: list[Case]) -> int:
    return sum(isinstance(sign(curve(case.id)), Finding) for case in among)


def rows() -> list[str]:
    known = cases()
    lines = []
    for sign in knowledge.signs():
        true = [case for case in known if sign.slug in case.signs]
        well = [case for case in known if case.verdict == "healthy" and sign.slug not in case.signs]
        for limit in sign.limits:
            asked = [sign.limited({limit.name: limit.value * factor}) for factor in FACTORS]
            counts = " / ".join(str(seen(each, true)) for each in asked)
            alarms = " / ".join(str(seen(each, well)) for each in asked)
            cells = [sign.slug, limit.name, f"{limit.value:g}"]
            cells += [f"{counts} of {len(true)}", f"{alarms} of {len(well)}"]
            lines.append(f"| {' | '.join(cells)} |")
    return lines


def main() -> None:
    print("| sign | limit | value | labeled trainings found at half / once / twice | healthy ones |")
    print("|---|---|--:|---|---|")
    print("\n".join(rows()))


if __name__ == "__main__":
    main()
