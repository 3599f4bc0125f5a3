"""Makes mlflow.db and metrics/ with mlflow 3.17.2, sqlalchemy and alembic: python make.py, in this folder.

MLflow creates 65 tables, most of them empty; those that hold no run are dropped to keep the file small.
"""

import os
import shutil
import sqlite3
import tempfile
from pathlib import Path

os.environ["MLFLOW_ALLOW_FILE_STORE"] = "true"

import mlflow

KEPT = {"runs", "metrics", "params", "tags", "experiments"}


def log(uri: str) -> None:
    mlflow.set_tracking_uri(uri)
    mlflow.set_experiment("fixture")
    with mlflow.start_run(run_name="good"):
        mlflow.log_params({"lr": 0.1, "optimizer": "adam", "layers": 3, "amp": True})
        mlflow.set_tag("purpose", "fixture")
        for step in range(4):
            mlflow.log_metrics({"loss": 1 / (step + 1), "val/acc": step / 10}, step=step)
        for step, value in enumerate((float("nan"), float("inf"), -float("inf")), 4):
            mlflow.log_metric("loss", value, step=step)
        mlflow.log_metric("loss", 0.75, step=2)


def log_others() -> None:
    try:
        with mlflow.start_run(run_name="broken"):
            mlflow.log_metric("loss", 3.0, step=0)
            raise ValueError
    except ValueError:
        pass
    with mlflow.start_run(run_name="good"):
        mlflow.log_metric("loss", 9.0)
    with mlflow.start_run(run_name="gone") as gone:
        mlflow.log_metric("loss", 8.0, step=0)
    mlflow.delete_run(gone.info.run_id)
    with mlflow.start_run(run_name="empty"):
        pass


def shrink(database: Path) -> None:
    connection = sqlite3.connect(database, isolation_level=None)
    connection.execute("PRAGMA foreign_keys = OFF")
    for (table,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
        if table not in KEPT:
            connection.execute(f"DROP TABLE {table}")
    connection.execute("UPDATE runs SET artifact_uri = '', user_id = ''")
    connection.execute("UPDATE experiments SET artifact_location = ''")
    connection.execute("DELETE FROM tags WHERE key IN ('mlflow.user', 'mlflow.source.name')")
    connection.execute("PRAGMA page_size = 512")
    connection.execute("VACUUM")


here = Path(__file__).parent
with tempfile.TemporaryDirectory() as folder:
    log(f"sqlite:///{folder}/mlflow.db")
    log_others()
    shrink(Path(folder) / "mlflow.db")
    shutil.copyfile(Path(folder) / "mlflow.db", here / "mlflow.db")
with tempfile.TemporaryDirectory() as folder:
    log(f"file:{folder}/mlruns")
    (metrics,) = Path(folder).glob("mlruns/*/*/metrics")
    shutil.copytree(metrics, here / "metrics", dirs_exist_ok=True)
