"""`traindx ask` as a user and as an agent would call it."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.calling import COOL, HOT, NAN
from traindx.cli import main

SCRIPT = """\
import torch

RATE = 0.5
optimizer = torch.optim.Adam(model.parameters(), lr=RATE)
for x, y in loader:
    loss = torch.nn.functional.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
"""


def asked(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, object]:
    assert main(["ask", *words, "--json", "-"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert isinstance(document, dict)
    assert (document["schema"], document["kind"]) == ("traindx.report/1", "interview")
    return document


def complaint_about(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """The one sentence that is said to bad input."""
    assert main(["ask", *words]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.count("\n") == 1
    return shown.err


def test_an_agent_gets_a_typed_answer_and_what_to_ask_next(capsys: pytest.CaptureFixture[str]) -> None:
    document = asked(capsys, "--symptom", "loss-nan", "--answer", "lr=0.1", "--answer", "optimizer=adam")
    assert {
        "says",
        "symptoms",
        "asked",
        "answers",
        "gathered",
        "healthy",
        "hypotheses",
        "walked",
        "claims",
        "outside",
        "next_question",
        "next_experiment",
        "next_commands",
        "limits",
    } <= set(document)
    assert document["symptoms"] == [{"symptom": "loss-nan", "says": "loss becomes NaN or infinite"}]
    # Rate and optimizer are one question.
    assert document["asked"] == 1
    hypotheses = document["hypotheses"]
    assert isinstance(hypotheses, list)
    assert [hypothesis["confidence"] for hypothesis in hypotheses] == sorted(
        (hypothesis["confidence"] for hypothesis in hypotheses), reverse=True
    )
    assert hypotheses[0]["cause"] == "lr-too-high"
    assert any("adam learning rate peaks at 0.1" in line["says"] for line in hypotheses[0]["reasons"])
    question = document["next_question"]
    assert isinstance(question, dict)
    assert question["question"] == "onset"
    assert [answer["answer"] for answer in question["answers"]] == [
        "first-steps",
        "after-climb",
        "sudden",
        "unknown",
    ]


def test_answering_what_is_asked_next_comes_to_an_end(capsys: pytest.CaptureFixture[str]) -> None:
    answers = {"finite": "clean", "onset": "sudden", "loss-function": "own"}
    words: list[str] = []
    for _ in range(9):
        question = asked(capsys, "--symptom", "loss-nan", *words)["next_question"]
        if question is None:
            break
        assert isinstance(question, dict)
        slug = question["question"]
        words += ["--answer", f"{slug}={answers.get(slug, 'unknown')}"]
    document = asked(capsys, "--symptom", "loss-nan", *words)
    assert document["next_question"] is None
    assert document["stands_out"] is True
    walked = document["walked"]
    assert isinstance(walked, list)
    assert walked[-1]["leads"][0]["cause"] == "unstable-loss-function"


def test_it_prints_the_cause_the_reasons_and_what_to_run_and_all_of_it_if_asked(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = ["ask", "--symptom", "overfitting", "--answer", "validation=turns-up"]
    assert main(words) == 0
    text = capsys.readouterr().out
    assert re.search(r"(?m)^LIKELY +Overfitting +confidence \d+%$", text)
    assert re.search(r"(?m)^WHY +your answer: falls, then rises", text)
    assert re.search(r"(?m)^next +traindx run train\.py$", text)
    assert "modes=switched|validated-in-train|trained-in-eval" in text
    assert re.search(r"(?m)^LIMITS +Based on 1 answer; a recording would be stronger evidence\.$", text)
    assert len(text.splitlines()) <= 24
    assert main([*words, "--all"]) == 0
    full = " ".join(capsys.readouterr().out.removeprefix(text).split())
    assert "WHY OVERFITTING" in full
    # What the likeliest cause was after each answer.
    assert "training is good, validation is bad -> train-eval-mode-bug" in full
    assert "falls, then rises while training loss keeps falling -> overfitting" in full
    assert "traindx treat train.py" in full


def test_a_complaint_alone_names_no_change(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", "--symptom", "loss-stuck"]) == 0
    text = capsys.readouterr().out
    assert text.splitlines()[2].startswith("UNCLEAR")
    assert "FIX" not in text
    assert "traindx treat" not in text


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--symptom", "nan"], 'unknown symptom "nan"; use loss-stuck, loss-slow'),
        (["--symptom", "loss-nan", "--answer", "color=blue"], 'unknown question "color"; use'),
        (["--symptom", "loss-nan", "--answer", "onset"], 'expected QUESTION=ANSWER, got "onset"'),
        (
            ["--symptom", "loss-nan", "--answer", "onset=late"],
            '"late" does not answer onset; use first-steps, after-climb, sudden',
        ),
        (["--symptom", "loss-nan", "--answer", "lr=fast"], 'lr cannot be "fast"; use a number'),
        (["--symptom", "loss-nan", "--answer", "momentum=9"], "momentum"),
        (
            ["--symptom", "loss-nan", "--answer", "optimizer=best"],
            'optimizer cannot be "best"; use adam, adamw',
        ),
        (["--claim", "the moon is full"], 'no known claim in "the moon is full"'),
        (["nowhere/train.log"], "nowhere/train.log: no such file"),
        (["purple", "haze"], '"purple haze" matches no symptom'),
        ([str(Path(HOT).parent)], "pass one of them"),
    ],
)
def test_bad_input_gives_one_sentence(
    capsys: pytest.CaptureFixture[str], words: list[str], says: str
) -> None:
    assert says in complaint_about(capsys, *words)


def test_without_a_terminal_it_asks_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert "no terminal to ask in" in complaint_about(capsys)


def test_a_log_is_weighed_as_diagnose_does(capsys: pytest.CaptureFixture[str]) -> None:
    document = asked(capsys, HOT)
    assert main(["diagnose", HOT, "--json", "-"]) == 0
    run = json.loads(capsys.readouterr().out)["runs"][0]
    hypotheses = document["hypotheses"]
    assert isinstance(hypotheses, list)
    for hypothesis, suspect in zip(hypotheses, run["suspects"], strict=False):
        assert hypothesis["cause"] == suspect["cause"]
        assert hypothesis["confidence"] == pytest.approx(suspect["confidence"], abs=1e-3)
    assert document["healthy"] == pytest.approx(run["healthy"], abs=1e-3)


def test_losses_may_come_through_a_pipe(tmp_path: Path) -> None:
    losses = "".join(f"step {step} loss {2.0 - step * 0.01}\n" for step in range(60))
    done = subprocess.run(
        [sys.executable, "-m", "traindx", "ask", "-", "--symptom", "loss-nan", "--json", "-"],
        input=f"{losses}step 60 loss nan\nstep 61 loss nan\n",
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    document = json.loads(done.stdout)
    assert document["gathered"][0]["verdict"] == "sick"
    assert document["next_question"]["question"] != "onset"


def test_what_stands_in_a_script_is_not_asked(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(SCRIPT)
    document = asked(capsys, str(script), "--symptom", "loss-unstable")
    hypotheses = document["hypotheses"]
    assert isinstance(hypotheses, list)
    assert hypotheses[0]["cause"] == "gradients-not-cleared"
    assert f"traindx treat {script}" in json.dumps(document["next_commands"])
    plain = asked(capsys, str(script), "--symptom", "loss-slow")
    question = plain["next_question"]
    while isinstance(question, dict):
        assert question["question"] != "setup"
        words = [word for each in plain["answers"] for word in ("--answer", f"{each['question']}=unknown")]  # type: ignore[attr-defined]
        words += ["--answer", f"{question['question']}=unknown"]
        plain = asked(capsys, str(script), "--symptom", "loss-slow", *words)
        question = plain["next_question"]


def test_a_claim_is_held_against_a_log(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", "--claim", "I need another optimizer", HOT]) == 0
    text = capsys.readouterr().out
    assert re.search(r'(?m)^HUNCH +"I need another optimizer" +contradicted by the evidence$', text)
    assert "Learning rate too high" in " ".join(text.split())
    assert re.search(r"(?m)^UNLESS +\w", text)
    document = asked(capsys, "--claim", "the learning rate is too high", "--claim", "more epochs", HOT)
    claims = document["claims"]
    assert isinstance(claims, list)
    assert [(claim["claim"], claim["stands"]) for claim in claims] == [
        ("rate-too-high", "holds"),
        ("more-epochs", "fails"),
    ]
    assert all(claim["would_change_it"] for claim in claims)


def test_who_asks_about_a_hunch_gets_no_ranking(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", "--claim", "More epochs, surely", HOT]) == 0
    text = capsys.readouterr().out
    assert '"More epochs, surely"' in text
    assert "LIKELY" not in text
    assert "COULD BE" not in text
    assert "next " not in text


def test_an_unusual_value_is_pointed_out_without_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    reply = asked(capsys, "--symptom", "loss-slow", "--answer", "setup=adam 1")
    assert "Check your answer: optimizer adam, learning rate 1 (unusually high for Adam)." in reply["limits"]  # type: ignore[operator]


def test_a_healthy_log_speaks_against_every_claim_of_a_fault(capsys: pytest.CaptureFixture[str]) -> None:
    document = asked(capsys, COOL, "--claim", "the model is too small", "--claim", "my model is excellent")
    claims = document["claims"]
    assert isinstance(claims, list)
    assert [claim["stands"] for claim in claims] == ["fails", "holds"]


def test_pressure_is_met_politely_and_firmly(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", "--claim", "demo tomorrow, just tell me what to change", NAN]) == 0
    text = capsys.readouterr().out
    assert "A wrong guess costs a whole run" in text
    assert "Check this first:" in text


@pytest.mark.parametrize(
    ("words", "field"),
    [
        ("RuntimeError: CUDA out of memory", "out-of-memory"),
        ("ImportError: no module named torch", "environment"),
        ("DataLoader worker (pid 17) exited unexpectedly", "loader-crash"),
        ("how should I design the reward for my agent", "reinforcement-learning"),
        ("which architecture is best for tables", "architecture"),
    ],
)
def test_another_field_is_named_with_where_to_look(
    capsys: pytest.CaptureFixture[str], words: str, field: str
) -> None:
    document = asked(capsys, words)
    outside = document["outside"]
    assert isinstance(outside, list)
    assert [topic["field"] for topic in outside] == [field]
    assert outside[0]["look"]
    assert document["hypotheses"] == []
    assert document["next_question"] is None


def test_documents_go_where_they_should(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--symptom", "loss-slow", "--answer", "setup=adam 1e-6", "--claim", "model too small"]
    assert main(["ask", *words, "--md", str(tmp_path), "--json", str(tmp_path)]) == 0
    page = (tmp_path / "interview.md").read_text()
    assert "LIKELY: Learning rate too low" in page
    assert 'HUNCH: "model too small"' in page
    assert json.loads((tmp_path / "interview.json").read_text())["kind"] == "interview"
    shown = capsys.readouterr().out
    assert "LIKELY" in shown
    assert [line.split()[0] for line in shown.splitlines()[-2:]] == ["markdown", "data"]


def test_every_question_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    from traindx.interview.answers import questions

    assert main(["ask", "--questions"]) == 0
    text = capsys.readouterr().out
    for question in questions():
        assert question.asks.split("?")[0][:40] in text
