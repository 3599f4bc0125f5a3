"""What an agent is told of a diagnosis hangs together, whatever is left out."""

import json
from pathlib import Path

import pytest

pytest.importorskip("mcp")

import traindx
from tests.cli.calling import COOL, DEMO, HOT, NAN
from traindx.mcp.arguments import chosen
from traindx.mcp.schema import Arguments, Detail
from traindx.mcp.tools.probe import run_read
from traindx.mcp.verdicts import BOUNDS, verdict_of

DETAILS: tuple[Detail, ...] = ("brief", "normal", "full")


@pytest.mark.parametrize("detail", DETAILS)
@pytest.mark.parametrize("log", [HOT, COOL, NAN, str(DEMO / "overfit"), str(DEMO / "cold")])
def test_every_id_that_is_named_is_told(log: str, detail: Detail) -> None:
    (run,) = traindx.load(log)
    verdict = verdict_of(run, traindx.diagnose(run), detail)
    known = [evidence.id for evidence in verdict.evidence]
    assert len(known) == len(set(known)) <= BOUNDS[detail].evidence
    named = [name for cause in verdict.causes for name in cause.evidence]
    reasons = [name for cause in verdict.causes for reason in cause.why for name in reason.evidence]
    assert {*named, *reasons} <= set(known)
    assert verdict.verdict != "sick" or verdict.causes[0].evidence


@pytest.mark.parametrize("detail", DETAILS)
def test_shares_add_up_to_what_the_diagnosis_says(detail: Detail) -> None:
    (run,) = traindx.load(HOT)
    diagnosis = traindx.diagnose(run)
    verdict = verdict_of(run, diagnosis, detail)
    shares = {cause.cause: cause.confidence for cause in verdict.causes}
    others = {cause.cause: cause.confidence for cause in verdict.other_causes}
    expected = {suspect.cause.slug: suspect.confidence for suspect in diagnosis.suspects}
    assert shares | others == pytest.approx(expected, abs=0.001)


def test_what_is_not_finite_is_json_all_the_same(tmp_path: Path) -> None:
    log = tmp_path / "m.csv"
    rows = [f"{step},{1 / (step + 1)}" for step in range(30)] + ["30,nan", "31,inf"]
    log.write_text("\n".join(["step,loss", *rows]))
    (tmp_path / "config.json").write_text('{"lr": NaN, "weight_decay": Infinity}')
    (run,) = traindx.load(log)
    for verdict in (verdict_of(run, traindx.diagnose(run), "full"), run_read(run, "full")):
        document = verdict.model_dump(mode="json")
        assert json.loads(json.dumps(document, allow_nan=False)) == document


def test_the_next_step_of_a_settled_cause_is_a_call_that_can_be_made() -> None:
    (run,) = traindx.load(str(DEMO / "overfit"))
    diagnosis = traindx.diagnose(run)
    program: Arguments = {"script": "train.py", "arguments": ["--fast"]}
    step = verdict_of(run, diagnosis, "brief", program).next_step
    assert step is not None
    assert (step.tool, step.arguments) == ("treat", program)
    without = verdict_of(run, diagnosis, "brief").next_step
    assert without is not None
    assert (without.tool, without.arguments) == ("treat", {})
    assert "with the script of this run" in without.do


def test_no_probability_is_0_or_1() -> None:
    (run,) = traindx.load(NAN)
    verdict = verdict_of(run, traindx.diagnose(run), "full")
    shares = [verdict.healthy, *(cause.confidence for cause in verdict.causes)]
    shares += [share.confidence for share in verdict.ruled_out]
    assert all(0 < share < 1 for share in shares)


def test_a_run_of_a_log_is_chosen_by_its_number_and_names_the_others(tmp_path: Path) -> None:
    log = tmp_path / "train.log"
    log.write_text(
        "".join(f"step {at} loss {3 / (at + 1) + k:.3f}\n" for k in (0.1, 0.2) for at in range(40))
    )
    (run,) = traindx.load(log)
    (first,) = chosen((run,), "1")
    assert first.number == 1
    assert "run 1 of 2 in its log; for another set run: 2" in " ".join(
        verdict_of(first, traindx.diagnose(first), "full").limits
    )
