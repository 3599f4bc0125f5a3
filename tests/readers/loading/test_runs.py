import gzip
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import traindx
from traindx.errors import UnreadableError
from traindx.facts import BATCH_SIZE, LEARNING_RATE, OPTIMIZER, PRECISION
from traindx.quantities import LEARNING_RATE as LEARNING_RATE_SERIES
from traindx.quantities import (
    TEST_LOSS,
    TRAIN_ACCURACY,
    TRAIN_LOSS,
    VAL_ACCURACY,
    VAL_LOSS,
    VAL_SCORE,
)
from traindx.readers.loading.runs import follow, read
from traindx.run import Axis, Begins, EventKind

CSV = "step,train_loss,val_loss\n" + "".join(
    f"{i},{1 / (i + 1)},{'' if i % 2 else 2 / (i + 1)}\n" for i in range(8)
)


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def only(path: Path | str) -> traindx.Run:
    runs = traindx.load(path)
    assert len(runs) == 1, [run.name for run in runs]
    return runs[0]


def test_a_file_becomes_a_run(tmp_path: Path) -> None:
    run = only(write(tmp_path / "metrics.csv", CSV))
    assert run[TRAIN_LOSS].steps.tolist() == list(range(8))
    assert run[TRAIN_LOSS].values.tolist() == [1 / (i + 1) for i in range(8)]
    assert run[VAL_LOSS].steps.tolist() == [0, 2, 4, 6]
    assert [segment.begins for segment in run.segments] == [Begins.START]


def test_a_folder_of_files_of_one_kind_is_several_runs(tmp_path: Path) -> None:
    for name in ("lr01", "lr02", "lr03"):
        write(tmp_path / f"{name}.csv", CSV)
    assert [Path(run.name).name for run in traindx.load(tmp_path)] == ["lr01.csv", "lr02.csv", "lr03.csv"]


def test_a_tree_names_runs_by_their_folders(tmp_path: Path) -> None:
    for name in ("a", "b/c"):
        write(tmp_path / name / "metrics.csv", CSV)
    assert sorted(os.path.relpath(run.name, tmp_path) for run in traindx.load(tmp_path)) == ["a", "b/c"]


def test_the_same_numbers_written_twice_are_one_run_kept_once(tmp_path: Path) -> None:
    write(tmp_path / "progress.csv", CSV)
    write(tmp_path / "log.txt", "".join(f"step {i}: train_loss {1 / (i + 1):.3f}\n" for i in range(8)))
    run = only(tmp_path)
    assert len(run.sources) == 2
    assert [series.part for series in run.all(TRAIN_LOSS)] == [""]
    assert any("repeats" in note for note in run.notes)


def test_train_and_validation_files_of_one_name_are_one_run(tmp_path: Path) -> None:
    write(tmp_path / "train_log.csv", "step,loss\n0,1.0\n1,0.5\n2,0.4\n")
    write(tmp_path / "val_log.csv", "step,loss\n0,1.5\n1,1.4\n2,1.3\n")
    run = only(tmp_path)
    assert run[TRAIN_LOSS].values.tolist() == [1.0, 0.5, 0.4]
    assert run[VAL_LOSS].values.tolist() == [1.5, 1.4, 1.3]


def test_one_file_for_each_metric_is_one_run(tmp_path: Path) -> None:
    write(tmp_path / "plots/metrics/loss.tsv", "step\tloss\n0\t1.0\n1\t0.5\n")
    write(tmp_path / "plots/metrics/lr.tsv", "step\tlr\n0\t0.1\n1\t0.01\n")
    run = only(tmp_path)
    assert run[TRAIN_LOSS].values.tolist() == [1.0, 0.5]
    assert run[LEARNING_RATE_SERIES].values.tolist() == [0.1, 0.01]


def test_a_download_without_a_name_is_named_by_its_file(tmp_path: Path) -> None:
    text = "Wall time,Step,Value\n1700000000.5,0,2.0\n1700000001.5,1,1.0\n"
    run = only(write(tmp_path / "run-exp1-tag-val_loss.csv", text))
    assert run[VAL_LOSS].values.tolist() == [2.0, 1.0]


def test_checkpoints_repeat_the_history_and_are_one_run(tmp_path: Path) -> None:
    history = [{"loss": 1 / (i + 1), "step": 10 * i, "epoch": i / 4} for i in range(9)]
    for upto in (3, 6, 9):
        state = {"log_history": history[:upto], "global_step": 10 * upto}
        write(tmp_path / f"checkpoint-{10 * upto}" / "trainer_state.json", json.dumps(state))
    run = only(tmp_path)
    assert run[TRAIN_LOSS].values.tolist() == [1 / (i + 1) for i in range(9)]
    assert len(run.segments) == 1


def test_a_resumed_run_has_segments_and_keeps_the_last(tmp_path: Path) -> None:
    first = "".join(f"{i},{20.0 - i}\n" for i in range(6))
    second = "".join(f"{i},{20.5 - i}\n" for i in range(4, 9))
    run = only(write(tmp_path / "m.csv", "step,loss\n" + first + second))
    assert run.others == ()
    assert run[TRAIN_LOSS].values.tolist() == [20, 19, 18, 17, 16.5, 15.5, 14.5, 13.5, 12.5]
    assert [(s.begins, s.first_step, s.last_step) for s in run.segments] == [
        (Begins.START, 0, 5),
        (Begins.RESUME, 4, 8),
    ]
    assert run.segments[0].series[0].values.tolist() == [20, 19, 18, 17, 16, 15]
    assert [event.kind for event in run.events] == [EventKind.RESUMED]


def test_a_repeated_step_keeps_the_last_and_says_so(tmp_path: Path) -> None:
    run = only(write(tmp_path / "m.csv", "iter,loss\n0,3.0\n1,2.0\n1,2.5\n2,1.0\n"))
    assert run[TRAIN_LOSS].values.tolist() == [3.0, 2.5, 1.0]
    assert any("replaced by a later value" in note for note in run.notes)


def test_steps_that_never_move_become_record_numbers(tmp_path: Path) -> None:
    run = only(write(tmp_path / "m.csv", "step,loss\n" + "".join(f"0,{v}\n" for v in (5, 4, 3, 2, 1))))
    assert run[TRAIN_LOSS].values.tolist() == [5, 4, 3, 2, 1]
    assert run[TRAIN_LOSS].axis is Axis.RECORD


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("epoch,train_loss,valid_loss,accuracy", VAL_ACCURACY),
        ("epoch,loss,accuracy,val_loss", TRAIN_ACCURACY),
        ("epoch,loss,accuracy,val_accuracy", TRAIN_ACCURACY),
        ("epoch,train_loss,val_loss,f1", VAL_SCORE),
    ],
)
def test_a_bare_metric_takes_its_split_from_its_company(
    tmp_path: Path, header: str, expected: traindx.Quantity
) -> None:
    run = only(
        write(tmp_path / "m.csv", header + "\n" + "".join(f"{i},0.{i + 1},0.3,0.4\n" for i in range(4)))
    )
    assert expected in run


def test_test_data_measured_all_along_serves_as_validation(tmp_path: Path) -> None:
    rows = "".join(f"{i},{5 - i},{6 - i}\n" for i in range(4))
    run = only(write(tmp_path / "m.csv", "epoch,train_loss,test_loss\n" + rows))
    assert run[VAL_LOSS].values.tolist() == [6, 5, 4, 3]
    assert any("used as validation" in note for note in run.notes)


def test_a_single_test_value_stays_a_test_value(tmp_path: Path) -> None:
    run = only(write(tmp_path / "m.csv", "epoch,train_loss,test_loss\n0,3,\n1,2,\n2,1,1.5\n"))
    assert run[TEST_LOSS].values.tolist() == [1.5]
    assert VAL_LOSS not in run


def test_the_epoch_mean_stands_beside_the_steps(tmp_path: Path) -> None:
    text = "step,train_loss_step,train_loss_epoch\n0,3.0,\n1,2.0,\n1,,2.5\n2,1.5,\n3,1.0,\n3,,1.25\n"
    run = only(write(tmp_path / "metrics.csv", text))
    assert run[TRAIN_LOSS].values.tolist() == [3.0, 2.0, 1.5, 1.0]
    assert {s.part: s.values.tolist() for s in run.all(TRAIN_LOSS)}["epoch"] == [2.5, 1.25]


def test_several_losses_are_kept_apart(tmp_path: Path) -> None:
    text = "step,eval_g0_loss,eval_g1_loss,loss_G,loss_D\n0,1,2,3,4\n1,1.5,2.5,3.5,4.5\n"
    run = only(write(tmp_path / "m.csv", text))
    assert {s.part: s.values.tolist() for s in run.all(VAL_LOSS)} == {"g0": [1, 1.5], "g1": [2, 2.5]}
    assert len(run.all(TRAIN_LOSS)) == 2


def test_names_are_overridden_by_the_user(tmp_path: Path) -> None:
    path = write(tmp_path / "m.csv", "step,loss,zeta\n0,1,7\n1,2,8\n")
    assert [u.name for u in read([str(path)]).runs[0].unread] == ["zeta"]
    run = read([str(path)], {"zeta": VAL_SCORE}).runs[0]
    assert run[VAL_SCORE].values.tolist() == [7, 8]
    assert not run.unread


def test_settings_beside_the_log_become_facts(tmp_path: Path) -> None:
    write(tmp_path / "metrics.csv", CSV)
    write(
        tmp_path / "hparams.yaml", "lr: 1e-4\nbatch_size: 32\noptimizer: {name: AdamW}\nmodel: {depth: 3}\n"
    )
    write(tmp_path / "config.json", json.dumps({"bf16": True, "note": "x"}))
    run = only(tmp_path)
    assert run.facts[LEARNING_RATE] == 1e-4
    assert run.facts[BATCH_SIZE] == 32
    assert run.facts[PRECISION] == "bf16"
    assert run.settings["model.depth"] == 3
    assert OPTIMIZER in run.facts


def test_values_at_no_step_are_said(tmp_path: Path) -> None:
    records = [("NaN", 9), ("1", 2), ("Infinity", 8), ("2", 1)]
    text = "".join(f'{{"step": {step}, "loss": {loss}}}\n' for step, loss in records)
    run = only(write(tmp_path / "m.jsonl", text))
    assert 1.0 in run[TRAIN_LOSS].values
    assert np.isfinite(run[TRAIN_LOSS].steps).all()
    assert len(run[TRAIN_LOSS]) + sum(u.count for u in run.unread if u.name == "loss") == 4


def test_standard_input(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "traindx", "inspect", "-", "--json", "-"]
    done = subprocess.run(command, input=CSV.encode(), capture_output=True, check=True, cwd=tmp_path)
    document = json.loads(done.stdout)
    assert [s["quantity"] for s in document["runs"][0]["series"]][:2] == ["train_loss", "val_loss"]


def test_a_growing_file_is_followed(tmp_path: Path) -> None:
    path = write(tmp_path / "m.csv", "step,loss\n0,1.0\n1,0.5\n")
    readings = follow([str(path)], every=0.01)
    assert len(next(readings).runs[0][TRAIN_LOSS]) == 2
    with path.open("a") as file:
        file.write("2,0.25\n3,")  # the last record is still being written
    os.utime(path, (time.time() + 5, time.time() + 5))
    run = next(readings).runs[0]
    assert run[TRAIN_LOSS].values.tolist() == [1.0, 0.5, 0.25]


def test_a_tree_reports_what_is_broken_and_reads_the_rest(tmp_path: Path) -> None:
    write(tmp_path / "a/metrics.csv", CSV)
    write(
        tmp_path / "b/trainer_state.json",
        "version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 2\n",
    )
    (tmp_path / "c").mkdir()
    (tmp_path / "c/noise.bin").write_bytes(np.random.default_rng(0).bytes(3000))
    reading = read([str(tmp_path)])
    assert len(reading.runs) == 1
    assert [problem.what for problem in reading.problems] == ["a git-LFS pointer; the log was not downloaded"]
    assert reading.other_files == 1


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "empty file"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:1\n", "git-LFS pointer"),
        (bytes(range(256)) * 20, "unknown log format"),
        (b"\x89PNG\r\n\x1a\n" + b"\0" * 500, "unknown log format"),
        (b"Dear diary, today nothing happened.\n" * 20, "no metrics found"),
    ],
)
def test_what_cannot_be_read_is_said_in_one_sentence(tmp_path: Path, content: bytes, says: str) -> None:
    path = tmp_path / "thing"
    path.write_bytes(content)
    with pytest.raises(UnreadableError, match=says):
        traindx.load(path)


def test_a_missing_path_is_said(tmp_path: Path) -> None:
    with pytest.raises(UnreadableError, match="no such file or folder"):
        traindx.load(tmp_path / "nowhere")


def test_an_empty_folder_is_said(tmp_path: Path) -> None:
    with pytest.raises(UnreadableError, match="the folder is empty"):
        traindx.load(tmp_path)


def test_a_compressed_log_is_read_even_when_cut_off(tmp_path: Path) -> None:
    rows = "".join(f"{i},{i * 0.37}\n" for i in range(5000))
    packed = gzip.compress(("step,loss\n" + rows).encode())
    (tmp_path / "whole.csv.gz").write_bytes(packed)
    (tmp_path / "cut.csv.gz").write_bytes(packed[: len(packed) // 2])
    assert len(only(tmp_path / "whole.csv.gz")[TRAIN_LOSS]) == 5000
    assert 100 < len(only(tmp_path / "cut.csv.gz")[TRAIN_LOSS]) < 5000


def test_utf16_as_windows_shells_write_it(tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_bytes(CSV.encode("utf-16"))
    assert len(only(tmp_path / "m.csv")[TRAIN_LOSS]) == 8


def test_prose_with_a_pasted_log_is_read_only_when_there_is_nothing_else(tmp_path: Path) -> None:
    pasted = "# Notes\n\n" + "".join(f"step {i}: loss {1 / (i + 1):.4f}\n" for i in range(9))
    write(tmp_path / "README.md", pasted)
    assert len(only(tmp_path)[TRAIN_LOSS]) == 9
    write(tmp_path / "run/metrics.csv", CSV)
    assert [Path(run.name).name for run in traindx.load(tmp_path)] == ["run"]


def test_a_folder_with_nothing_but_a_crash_tells_the_crash(tmp_path: Path) -> None:
    lines = ["loading data", "Traceback (most recent call last):", '  File "train.py", line 3, in <module>']
    (tmp_path / "train.log").write_text("\n".join([*lines, "RuntimeError: CUDA error: out of memory"]) + "\n")
    (run,) = traindx.load(tmp_path)
    assert "CUDA error" in run.events[-1].says
    # Beside a log with numbers it is no run of its own.
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "metrics.csv").write_text(
        "step,loss\n" + "".join(f"{n},{3 - n / 9}\n" for n in range(9))
    )
    assert [bool(other.series) for other in traindx.load(tmp_path)] == [True]


@pytest.mark.parametrize(("says", "counts"), [("NaN in layer 3", True), ("no such file", False)])
def test_a_program_that_stops_over_a_nan_has_it_for_its_last_loss(
    tmp_path: Path, says: str, counts: bool
) -> None:
    steps = "".join(f"step {i} loss {1 / (i + 1):.4f}\n" for i in range(12))
    crash = f'Traceback (most recent call last):\n  File "t.py", line 3, in <module>\nRuntimeError: {says}\n'
    run = only(write(tmp_path / "log.txt", steps + crash))
    assert np.isnan(run[TRAIN_LOSS].values[-1]) == counts
    assert any("stopped over a NaN" in note for note in run.notes) == counts
