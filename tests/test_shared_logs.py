"""Real logs of strangers, where the folder of them lies beside the project.

The numbers were read off the files with grep, pandas, tensorboard and the eye, not with traindx.
"""

import json
from pathlib import Path

import numpy as np
import pytest

import traindx
from traindx import quantities as q
from traindx.errors import UnreadableError
from traindx.facts import RESUMED_AT
from traindx.run import Quantity, Run

LOGS = Path(__file__).parents[2] / "shared" / "logs"
pytestmark = pytest.mark.skipif(not LOGS.is_dir(), reason="the folder of real logs is not beside the project")

NAN = float("nan")

# folder, quantity, part, points, first step, first value, last step, last value
SERIES: list[tuple[str, Quantity, str, int, float, float, float, float]] = [
    ("001_hf_multi_eval", q.TRAIN_LOSS, "", 30, 401, 1.1074, 12030, 0.0549),
    ("001_hf_multi_eval", q.VAL_LOSS, "g0", 31, 0, 5.741583347320557, 12030, 2.7486727237701416),
    ("001_hf_multi_eval", q.VAL_LOSS, "g5", 31, 0, 3.7603373527526855, 12030, 4.835134983062744),
    ("001_hf_multi_eval", q.VAL_ACCURACY, "g3", 31, 0, 0.26683291770573564, 12030, 0.2743142144638404),
    ("001_hf_multi_eval", q.GRADIENT_NORM, "", 30, 401, 5.49674654006958, 12030, 1.7071932554244995),
    ("002_hf_mt5_summ", q.TRAIN_LOSS, "", 700, 10, 25.5062, 7000, 2.2437),
    ("002_hf_mt5_summ", q.VAL_LOSS, "", 70, 100, 3.3984055519104004, 7000, 2.065276861190796),
    ("002_hf_mt5_summ", q.LEARNING_RATE, "", 700, 10, 5.555555555555555e-05, 7000, 0.00012933161677931553),
    ("018_pl_gmlp_bursts", q.TRAIN_LOSS, "", 200, 49, 279.01129150390625, 9999, 8.004006385803223),
    ("021_pl_mnist_dead", q.TRAIN_LOSS, "", 720, 49, 2.29477858543396, 35999, 2.312835931777954),
    ("021_pl_mnist_dead", q.VAL_LOSS, "", 20, 1799, 2.303309679031372, 35999, 2.305514097213745),
    ("021_pl_mnist_dead", q.TEST_ACCURACY, "", 1, 36000, 0.10100000351667404, 36000, 0.10100000351667404),
    ("024_pl_nan_metric", q.TRAIN_LOSS, "", 54, 9, 0.43807005882263184, 539, 0.00020083761774003506),
    ("024_pl_nan_metric", q.VAL_LOSS, "", 10, 53, 0.0007502927910536528, 539, 0.00020556295930873603),
    ("024_pl_nan_metric", q.LEARNING_RATE, "", 54, 9, 0.004738291353430291, 539, 4e-07),
    ("027_pl_eeg_overfit_long", q.TRAIN_LOSS, "", 349, 25, 0.6947286128997803, 9073, 0.0018716156482696533),
    ("027_pl_eeg_overfit_long", q.VAL_LOSS, "", 350, 25, 0.7009670734405518, 9074, 1.495177984237671),
    ("029_pl_eeg_onespike", q.TRAIN_LOSS, "", 314, 2, 1.3868001699447632, 941, 0.6379145979881287),
    ("033_pl_eeg_healthy", q.TRAIN_LOSS, "", 37, 2, 1.3809638023376465, 110, 0.7935159206390381),
    ("033_pl_eeg_healthy", q.VAL_LOSS, "", 38, 2, 1.3836897611618042, 111, 0.8886801600456238),
    ("039_pl_eeg_nan_tail", q.TRAIN_LOSS, "", 32, 50, 0.6820738911628723, 1631, NAN),
    ("039_pl_eeg_nan_tail", q.VAL_LOSS, "", 33, 50, 0.626458466053009, 1632, NAN),
    ("040_kc_heart_overfit", q.TRAIN_LOSS, "", 55, 0, 2.28915042883, 54, 0.0287167308242),
    ("040_kc_heart_overfit", q.VAL_ACCURACY, "", 55, 0, 0.526482916297, 54, 0.720267581185),
    ("040_kc_heart_overfit", q.TRAIN_ACCURACY, "", 55, 0, 0.539334405962, 54, 0.991193157761),
    ("044_kc_heart_3rows", q.VAL_LOSS, "", 3, 0, 0.464145494528, 2, 0.34472502487),
    ("045_kh_vanish", q.TRAIN_LOSS, "", 91, 0, 0.693695776462555, 90, 0.6931585301671709),
    ("045_kh_vanish", q.VAL_LOSS, "", 91, 0, 0.6933254281679789, 90, 0.693191298643748),
    ("053_js_nanogpt_curve", q.TRAIN_LOSS, "", 2001, 0, 4.2456, 2000, 1.6338),
    ("056_tb_allennlp", q.TRAIN_LOSS, "", 47, 100, 0.6915289759635925, 4700, 0.3623788356781006),
    ("056_tb_allennlp", q.VAL_LOSS, "", 10, 1, 0.5425620675086975, 10, 0.6073558330535889),
    ("057_tb_d2_restarts", q.TRAIN_LOSS, "", 150, 19, 3.938677307218313, 2999, 0.43507120013237),
    ("060_tb_sb3_ppo", q.REWARD, "", 5, 2048, 21.967741012573242, 10240, 54.4900016784668),
    ("064_ul_v8_inf_first", q.TRAIN_LOSS, "box", 64, 1, 1.5665, 64, 1.1258),
    ("064_ul_v8_inf_first", q.VAL_LOSS, "cls", 64, 1, float("inf"), 64, 1.371),
    ("064_ul_v8_inf_first", q.VAL_SCORE, "map50", 64, 1, 0.10145, 64, 0.52551),
    ("065_ul_v9_healthy", q.VAL_LOSS, "box", 43, 1, 3.0412, 43, 1.4427),
    ("072_ul_v7_txt_1row", q.VAL_SCORE, "map50", 1, 0, 0.09008, 0, 0.09008),
    ("072_ul_v7_txt_1row", q.TRAIN_LOSS, "box", 1, 0, 0.05108, 0, 0.05108),
    ("073_d2_blood_restarts", q.TRAIN_LOSS, "", 150, 19, 3.938677307218313, 2999, 0.43507119035348296),
    ("074_mm_one_record", q.TRAIN_LOSS, "", 1, 50, 1.52762, 50, 1.52762),
    ("076_ma_ecoset_ok", q.TRAIN_LOSS, "", 50, 0, 4.487262646638638, 49, 3.645794964039292),
    ("076_ma_ecoset_ok", q.VAL_LOSS, "", 50, 0, 4.215015649795532, 49, 3.6865126149994984),
    ("079_de_detr_2rows", q.TRAIN_LOSS, "", 2, 0, 24.53344465317914, 1, 24.619954395823076),
    ("080_al_epochs", q.TRAIN_LOSS, "", 10, 0, 0.5100066152371858, 9, 0.36243654960080196),
    ("080_al_epochs", q.VAL_LOSS, "", 10, 0, 0.5425620898604393, 9, 0.6073558144271374),
    ("082_wb_hist_nopos", q.TRAIN_LOSS, "", 501, 1, 4.267383575439453, 521, 1.1347261667251587),
    ("082_wb_hist_nopos", q.VAL_LOSS, "", 21, 0, 4.265923500061035, 520, 1.5557680130004883),
    ("083_wb_ui_export", q.TRAIN_LOSS, "", 2270, 4, 12.171820640563965, 42509, 2.329497814178467),
    ("084_wb_run_killed", q.TRAIN_LOSS, "", 45, 0, 10.9925, 440, 5.3646),
    ("084_wb_run_killed", q.VAL_LOSS, "", 1, 0, 10.990067481994629, 0, 10.990067481994629),
    ("089_su_vpg", q.TRAIN_LOSS, "pi", 150, 1, -57.82045, 150, -3.2176235),
    ("090_bl_atari_zero", q.REWARD, "", 994, 640, 0.0, 636160, 0.0),
    ("094_ch_ptb", q.TRAIN_LOSS, "", 359, 500, 7.081898212432861, 179500, 4.974114894866943),
    ("094_ch_ptb", q.VAL_LOSS, "", 3, 46500, 5.3024708514099785, 139500, 5.007967140048807),
    ("096_fs_moe_train", q.TRAIN_LOSS, "", 340, 50, 15.321, 17000, 0.091),
    ("096_fs_moe_train", q.TRAIN_LOSS, "inner", 340, 50, 15.229, 17000, 0.004),
    ("099_mg_warm_spike", q.TRAIN_LOSS, "", 19, 20, 12.03115, 200, 7.365868),
    ("099_mg_warm_spike", q.GRADIENT_NORM, "", 18, 30, 16.999, 200, 3.952),
    ("099_mg_warm_spike", q.VAL_LOSS, "", 2, 100, 8.017406, 200, 7.487306),
    ("101_mg_chronicle_tr8b", q.TRAIN_LOSS, "", 19, 6502, 3.876781, 17068, 4.137348),
    ("105_mn_adamw", q.TRAIN_LOSS, "", 9536, 0, 10.965596, 9535, 3.340180),
    ("105_mn_adamw", q.VAL_LOSS, "", 76, 0, 10.968871, 9536, 3.275959),
    ("107_mn_seeds_concat", q.VAL_LOSS, "", 28, 125, 4.51457, 3040, 3.27497),
    ("108_pg_baseline", q.TRAIN_LOSS, "", 285, 1, 6.9408, 13750, 1.9910),
    ("111_ng_resumed_1000", q.TRAIN_LOSS, "", 501, 1000, 4.6041, 6000, 3.1854),
    ("111_ng_resumed_1000", q.VAL_LOSS, "", 6, 1000, 4.5217, 6000, 3.2693),
    ("113_ng_tqdm_cr", q.TRAIN_LOSS, "", 247, 29, 10.8620, 275, 10.1601),
    ("115_nc_sft_nan", q.TRAIN_LOSS, "", 133, 1, 5.471677, 133, NAN),
    ("117_ol_150m_killed", q.TRAIN_LOSS, "cross_entropy", 37, 10, 9.064, 370, 4.830),
    ("117_ol_150m_killed", q.GRADIENT_NORM, "", 37, 10, 1.608, 370, 0.3512),
    ("121_tt_run_ansi", q.TRAIN_LOSS, "", 10, 1, 12.33562, 10, 6.42166),
    ("121_tt_run_ansi", q.GRADIENT_NORM, "", 10, 1, 24.5, 10, 28.875),
    ("122_fl_training_log", q.VAL_LOSS, "", 15, 1, 0.6743201017379761, 15, 0.6957404017448425),
    ("123_nu_brats_42", q.TRAIN_LOSS, "", 42, 0, -0.3867, 41, -0.8584),
    ("128_sw_linear", q.VAL_LOSS, "", 500, 0, 103.7909, 6487, 1.1580),
    ("133_ng_muon", q.TRAIN_LOSS, "", 201, 0, 4.2653, 2000, 1.0347),
    ("133_ng_muon", q.VAL_LOSS, "", 9, 0, 4.2823, 2000, 1.4558),
    ("135_cs_forward_neg", q.TRAIN_LOSS, "", 100, 1, 15.80952262878418, 100, -9.72118091583252),
    ("136_fl_loss_tsv", q.TRAIN_LOSS, "", 15, 1, 0.8578979671001434, 15, 0.2784295007586479),
    ("136_fl_loss_tsv", q.VAL_LOSS, "", 15, 1, 0.6743201017379761, 15, 0.6957404017448425),
    ("137_oa_step_metrics", q.TRAIN_LOSS, "", 99, 1, 0.59335, 99, 0.00505),
    ("138_tt_two_cols", q.TRAIN_LOSS, "ci_llama3", 10, 1, 8.1376, 10, 4.2004),
    ("140_dv_gpt", q.TRAIN_LOSS, "", 14, 0, 6.2201, 13, 4.1297),
    ("141_mf_single_points", q.TRAIN_ERROR, "mae", 1, 0, 30.746526588166944, 0, 30.746526588166944),
]

SEGMENTS = {
    "001_hf_multi_eval": 1,
    "113_ng_tqdm_cr": 1,
    "133_ng_muon": 1,
    "084_wb_run_killed": 1,
}

RUNS = {
    "057_tb_d2_restarts": (3, [125, 2, 150, 1]),
    "073_d2_blood_restarts": (3, [125, 2, 150, 1]),
    "107_mn_seeds_concat": (7, [28] * 7),
    "205_rasa_components": (4, [10, 100, 100, 100]),
    "111_ng_resumed_1000": (1, [501]),
}
"""Logs of several runs: the number of the one that is judged, and the points of each."""

UNREADABLE = {"006_hf_lfs_pointer": "git-LFS pointer", "059_tb_empty40": "without scalars"}


def run_in(folder: str) -> Run:
    runs = traindx.load(LOGS / folder)
    assert len(runs) == 1, [run.name for run in runs]
    return runs[0]


@pytest.mark.parametrize(
    ("folder", "quantity", "part", "points", "first_step", "first", "last_step", "last"),
    SERIES,
    ids=[f"{row[0]}-{row[1].slug}-{row[2]}" for row in SERIES],
)
def test_the_numbers_are_those_in_the_file(
    folder: str,
    quantity: Quantity,
    part: str,
    points: int,
    first_step: float,
    first: float,
    last_step: float,
    last: float,
) -> None:
    curves = {series.part: series for series in run_in(folder).all(quantity)}
    assert part in curves, sorted(curves)
    series = curves[part]
    ends = [len(series), series.steps[0], series.values[0], series.steps[-1], series.values[-1]]
    np.testing.assert_allclose(ends, [points, first_step, first, last_step, last], rtol=1e-6)


@pytest.mark.parametrize(("folder", "count"), SEGMENTS.items())
def test_segments(folder: str, count: int) -> None:
    assert len(run_in(folder).segments) == count


@pytest.mark.parametrize(("folder", "judged", "points"), [(key, *value) for key, value in RUNS.items()])
def test_runs_of_one_log(folder: str, judged: int, points: list[int]) -> None:
    run = run_in(folder)
    assert run.number == judged
    longest = [max(map(len, log_run.all(q.TRAIN_LOSS) or log_run.all(q.VAL_LOSS))) for log_run in run.in_log]
    assert longest == points


def test_a_run_that_starts_late_is_resumed() -> None:
    assert run_in("111_ng_resumed_1000").facts[RESUMED_AT] == 1000
    assert RESUMED_AT not in run_in("133_ng_muon").facts


@pytest.mark.parametrize(("folder", "says"), UNREADABLE.items())
def test_what_holds_no_numbers_is_said(folder: str, says: str) -> None:
    with pytest.raises(UnreadableError, match=says):
        traindx.load(LOGS / folder)


def test_every_folder_is_covered() -> None:
    """Of the first index: nobody has read the numbers off the logs of INDEX_MORE.jsonl yet."""
    lines = (LOGS / "INDEX.jsonl").read_text(encoding="utf-8").splitlines()
    folders = {json.loads(line)["dir"].removeprefix("data/") for line in lines}
    covered = {row[0] for row in SERIES} | set(UNREADABLE) | {"092_sb_monitor"}
    assert folders <= covered


def test_a_nan_in_another_column_is_no_nan_loss() -> None:
    run = run_in("024_pl_nan_metric")
    assert run[q.TRAIN_LOSS].first_bad_step is None
    assert run[q.VAL_LOSS].first_bad_step is None


def test_the_step_of_the_first_nan() -> None:
    assert run_in("115_nc_sft_nan")[q.TRAIN_LOSS].first_bad_step == 9
