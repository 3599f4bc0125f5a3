"""Boxes of one name and number per row, as Stable-Baselines and Baselines print them, to one line each.

---------------------------------
| rollout/           |          |      rollout/ep_rew_mean: 22.3 | time/total_timesteps: 2048
|    ep_rew_mean     | 22.3     |
| time/              |          |
|    total_timesteps | 2048     |
---------------------------------
"""

import re
from collections.abc import Iterable, Iterator

_BOX_ROW = re.compile(r"\|(?P<indent>\s+)(?P<name>[^\s|](?:[^|]*[^\s|])?)\s*\|\s*(?P<value>[^\s|]*)\s*\|\s*")


def folded(lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines, with the rows of every box joined into one line at its end."""
    rows: list[str] = []
    section = ""
    for line in lines:
        row = _BOX_ROW.fullmatch(line) if line[:1] == "|" else None
        if row is None:
            if rows:
                yield " | ".join(rows)
                rows, section = [], ""
            yield line
        elif not row["value"]:
            section = row["name"]
        else:
            inside = section if len(row["indent"]) > 1 else ""
            rows.append(f"{inside}{row['name']}: {row['value']}")
    if rows:
        yield " | ".join(rows)
