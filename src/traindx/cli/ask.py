"""`traindx ask`: the guided interview, and the check of a hunch."""

import argparse
import os
import sys

from traindx.cli import DONE
from traindx.cli._options import add_detail, add_documents, add_option
from traindx.errors import TraindxError

TYPE_CHECKING = False  # as typing has it, without the 5 ms that importing typing takes
if TYPE_CHECKING:
    from traindx.cli._output import Maker
    from traindx.interview.types import Conclusion, Consultation

HELP = "answer a few questions to find likely causes, or check a hunch"
EXAMPLES = """\
  traindx ask                                  interview with at most nine questions
  traindx ask train.py runs/last               the same, skipping what script and log already say
  traindx ask "my loss becomes NaN"            describe the problem in words
  traindx ask --symptom loss-nan --answer onset=sudden --answer lr=0.1 --answer optimizer=adam
                                               without a terminal, for agents; prints the next question
  traindx ask --claim "I need another optimizer" runs/last    check a hunch against the evidence
  traindx ask --symptom loss-stuck --json -    as JSON
  traindx ask --questions                      list every question with its answers

symptoms: loss-stuck, loss-slow, loss-unstable, loss-nan, gradients-explode, gradients-vanish, overfitting,
training-slow, other. With --symptom, --answer, --claim, --json - or --md -, or without a terminal, it asks
nothing. Answers count less than a log, a recording or a script."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ask."""
    parser.add_argument(
        "given",
        nargs="*",
        metavar="PATH|WORDS",
        help="a log (- for stdin), a run folder, a script or a config file; or what you see, in words",
    )
    add_option(parser, "--symptom SYMPTOM", "what you see (listed below); can be repeated", repeated=True)
    says = "an answer, such as onset=sudden or lr=0.1 (--questions lists them); can be repeated"
    add_option(parser, "--answer QUESTION=ANSWER", says, repeated=True)
    says = 'your hunch, such as "more epochs"; can be repeated'
    add_option(parser, "--claim WORDS", says, repeated=True)
    add_option(parser, "--questions", "list every question with its answers")
    add_detail(parser, "the likeliest cause")
    add_documents(parser, "interview.md", "interview.json")


def run(arguments: argparse.Namespace) -> int:
    """Interview, or weigh what was given; 2 for bad input."""
    if arguments.questions:
        return _list_questions()
    from traindx.cli._output import places_of, refuse_places

    places = places_of(arguments, {"md": "interview.md", "json": "interview.json"})
    refuse_places(places, arguments.given)
    consultation = _begun(arguments)
    if _may_ask(arguments):
        from traindx.cli._interview import interviewed

        consultation = interviewed(consultation)
    elif not (consultation.moves or consultation.claims or consultation.outside):
        raise TraindxError(
            "no terminal to ask in; say what you see, for example --symptom loss-nan"
            " (traindx ask --help lists all symptoms)"
        )
    return _tell(consultation, places, arguments)


def _may_ask(arguments: argparse.Namespace) -> bool:
    settled = (
        arguments.symptom or arguments.answer or arguments.claim or "-" in (arguments.json, arguments.md)
    )
    return not settled and sys.stdin.isatty() and sys.stdout.isatty()


def _begun(arguments: argparse.Namespace) -> "Consultation":
    """What was given on the command line."""
    from traindx.interview.claims import claims_named
    from traindx.interview.complaints import complaint_named
    from traindx.interview.evidence import gather
    from traindx.interview.session import begin, claim, give, named_answer, tell

    paths = [word for word in arguments.given if _is_path(word)]
    words = " ".join(word for word in arguments.given if word not in paths)
    complaints = tuple(dict.fromkeys(complaint_named(word) for word in arguments.symptom))
    consultation = begin(complaints, words)
    if words and not (consultation.moves or consultation.claims or consultation.outside):
        raise TraindxError(
            f'"{words}" matches no symptom; choose one with --symptom (traindx ask --help lists them)'
        )
    for path in paths:
        consultation = give(consultation, gather(path))
    for pair in arguments.answer:
        consultation = tell(consultation, named_answer(pair))
    for text in arguments.claim:
        consultation = claim(consultation, claims_named(text))
    return consultation


def _is_path(text: str) -> bool:
    """Whether somebody who typed this meant a file, even if it does not exist."""
    if text == "-" or os.path.exists(os.path.expanduser(text)):
        return True
    return " " not in text and (
        "/" in text or text.endswith((".py", ".log", ".json", ".csv", ".yaml", ".txt"))
    )


def _tell(consultation: "Consultation", places: dict[str, str], arguments: argparse.Namespace) -> int:
    from traindx.cli._output import Result, publish_result
    from traindx.interview.session import conclude
    from traindx.report.json.results import interview_document
    from traindx.report.results.interview import page, summary

    conclusion = conclude(consultation)
    made = page(conclusion, ask=_how_to_answer(conclusion))
    makers: dict[str, Maker] = {"json": lambda: interview_document(conclusion)}
    return publish_result("ask", arguments, places, Result(made, summary(conclusion), makers))


def _how_to_answer(conclusion: "Conclusion") -> str:
    question = conclusion.question
    if question is None:
        return ""
    if question.choices:
        return f"--answer {question.slug}={'|'.join(choice.slug for choice in question.choices)}"
    return " ".join(f"--answer {field.names[0]}=..." for field in question.needed)


def _list_questions() -> int:
    from traindx.cli._output import text_for
    from traindx.interview.answers import questions
    from traindx.report.blocks import Page
    from traindx.report.results.interview import listing

    page = Page("questions", tuple(block for question in questions() for block in listing(question)))
    sys.stdout.write(text_for(page))
    return DONE
