"""Makes trackio.db with trackio 0.43.0: python make.py, in this folder.

Of the 13 tables those that hold nothing of the two runs are dropped to keep the file small.
"""

import os
import shutil
import sqlite3
import tempfile
from pathlib import Path

KEPT = {"metrics", "configs", "system_metrics", "alerts"}
here = Path(__file__).parent
folder = Path(tempfile.mkdtemp())
os.environ.update(TRACKIO_DIR=str(folder), HF_HUB_OFFLINE="1")

import numpy as np  # noqa: E402  trackio looks for its folder when imported
import trackio  # noqa: E402

for name in ("run-a", "run-b"):
    config = {"lr": 0.1, "model": {"depth": 3, "widths": [1, 2]}, "seed": None}
    trackio.init(project="fixture", name=name, config=config)
    for step, loss in enumerate((1.0, 0.5, float("nan"), float("inf"), -float("inf"))):
        row = {"loss": loss, "nest": {"a": step, "b": {"c": step / 2}}, "overflow": step == 3, "note": "x"}
        if step == 2:
            row |= {"image": trackio.Image(np.zeros((2, 2, 3), dtype=np.uint8)), "list": [1], "nothing": None}
        trackio.log(row)
    trackio.log({"val/loss": 2.0}, step=20)
    trackio.log({"val/loss": 1.0}, step=10)
    trackio.alert("high loss", level=trackio.AlertLevel.WARN)
    trackio.finish()

database = folder / "fixture.db"
connection = sqlite3.connect(database, isolation_level=None)
for (table,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
    if table not in KEPT and not table.startswith("sqlite_"):
        connection.execute(f"DROP TABLE {table}")
connection.execute("PRAGMA journal_mode = DELETE")  # pages can only be made smaller so
connection.execute("PRAGMA page_size = 512")
connection.execute("VACUUM")
connection.execute("PRAGMA journal_mode = WAL")
connection.close()
shutil.copyfile(database, here / "trackio.db")
shutil.rmtree(folder)
