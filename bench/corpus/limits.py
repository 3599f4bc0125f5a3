"""How much every limit matters on the corpus: each sign asked with half, once and twice its limit.

PYTHONPATH=bench python -m corpus.limits     the table at the end of bench/thresholds.md
"""

import argparse
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from rich.progress import track

from corpus.make import CORPUS
from corpus.recipe import HEALTHY
from corpus.table import Row, read, run_at
from traindx.diagnosis import knowledge
from traindx.finding import Finding, Sign

THRESHOLDS = Path(__file__).parents[1] / "thresholds.md"
FACTORS = (0.5, 1.0, 2.0)
_BEGINS = "## On the corpus\n"


def asked(sign: Sign) -> list[Sign]:
    """A sign with each of its limits at half, once and twice its value, one limit after the other."""
    return [sign.limited({limit.name: limit.value * factor}) for limit in sign.limits for factor in FACTORS]


def seen(row: Row, folder: Path) -> list[bool]:
    """Of all signs with all limits, which are seen in a run."""
    run = run_at(folder / f"{row.id}.traindx")
    every = [each for sign in knowledge.signs() for each in asked(sign)]
    return [run is not None and isinstance(each(run), Finding) for each in every]


def lines(rows: Sequence[Row], found: Sequence[Sequence[bool]]) -> list[str]:
    """A line for every limit: how many runs it is seen in, of those it speaks for and of healthy ones."""
    speaks: dict[str, set[str]] = {}
    for cause in knowledge.causes():
        for clue in cause.clues:
            if clue.seen >= 1:
                speaks.setdefault(clue.sign.slug, set()).add(cause.slug)
    well = [flags for row, flags in zip(rows, found, strict=True) if row.label == HEALTHY and not row.cause]
    table, column = [], 0
    for sign in knowledge.signs():
        true = [
            flags for row, flags in zip(rows, found, strict=True) if row.label in speaks.get(sign.slug, set())
        ]
        for limit in sign.limits:
            places = range(column, column + len(FACTORS))
            counts = [
                " / ".join(str(sum(flags[index] for flags in some)) for index in places)
                for some in (true, well)
            ]
            cells = [sign.slug, limit.name, f"{limit.value:g}", f"{counts[0]} of {len(true)}"]
            table.append(f"| {' | '.join(cells)} | {counts[1]} of {len(well)} |")
            column += len(FACTORS)
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--corpus", type=Path, default=CORPUS)
    parser.add_argument("--every", type=int, default=4, help="ask each so many-th run")
    arguments = parser.parse_args()
    _, rows = read()
    rows = rows[:: arguments.every]
    with ProcessPoolExecutor() as pool:
        answers = pool.map(partial(seen, folder=arguments.corpus), rows, chunksize=4)
        rows_of_answers = list(track(answers, "asking", total=len(rows)))
    head = "| sign | limit | value | runs with a cause it speaks for, at half / once / twice | healthy ones |"
    text = THRESHOLDS.read_text(encoding="utf-8").partition(_BEGINS)[0].rstrip()
    about = f"One run in {arguments.every} of `bench/corpus`, {len(rows)} in all (`python -m corpus.limits`)."
    table = "\n".join([head, "|---|---|--:|---|---|", *lines(rows, rows_of_answers)])
    THRESHOLDS.write_text(f"{text}\n\n{_BEGINS}\n{about}\n\n{table}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
