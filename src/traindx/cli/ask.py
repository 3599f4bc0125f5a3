"""`traindx ask`: the guided interview, and the check of a claim."""

import argparse
import os
import sys

from traindx.cli import BAD_INPUT, DONE
from traindx.cli._options import add_documents, add_option
from traindx.errors import TraindxError

TYPE_CHECKING = False  # as typing has it, without the 5 ms that importing typing takes
if TYPE_CHECKING:
    from traindx.cli._output import Maker
    from traindx.interview.types import Conclusion, Consultation

HELP = "find the likeliest causes by an interview, and check what you hold for the cause"
EXAMPLES = """\
  traindx ask                                  an interview: what you see, at most nine questions, what to do
  traindx ask train.py runs/last               the same, without asking what stands in script and log
  traindx ask "my loss becomes NaN"            in words; what belongs to other fields is named as such
  traindx ask --symptom loss-nan --answer onset=sudden --answer lr=0.1 --answer optimizer=adam
                                               without a terminal, for agents; says what it would ask next
  traindx ask --claim "I need another optimizer" runs/last    what the evidence says to that
  traindx ask --symptom loss-stuck --json -    as data, for programs
  traindx ask --questions                      every question with its answers

symptoms: loss-stuck, loss-slow, loss-unstable, loss-nan, gradients-explode, gradients-vanish, overfitting,
training-slow, other. With --symptom, --answer, --claim, --json - or --md -, or without a terminal, nothing is
asked. What is told counts less than what is read from a log, a recording or a script."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ask."""
    parser.add_argument(
        "given",
        nargs="*",
        metavar="PATH|WORDS",
        help="a log (- for stdin), a run's folder, a script or a configuration; or what you see, in words",
    )
    add_option(
        parser, "--symptom SYMPTOM", "what you see, one of the nine below; may be repeated", repeated=True
    )
    says = "an answer (--questions lists them), such as onset=sudden or lr=0.1; may be repeated"
    add_option(parser, "--answer QUESTION=ANSWER", says, repeated=True)
    says = 'what you hold for the cause, such as "more epochs"; may be repeated'
    add_option(parser, "--claim WORDS", says, repeated=True)
    add_option(parser, "--questions", "list every question with its answers")
    add_documents(parser, "interview.md", "interview.json")


def run(arguments: argparse.Namespace) -> int:
    """Interview, or weigh what was given; 2 for what is not understood."""
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
            "needs a terminal to ask in; without one say what you see by --symptom loss-nan"
            " (traindx ask --help lists them)"
        )
    return _tell(consultation, places)


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

    paths = [one for one in arguments.given if _is_path(one)]
    words = " ".join(one for one in arguments.given if one not in paths)
    complaints = tuple(dict.fromkeys(complaint_named(one) for one in arguments.symptom))
    consultation = begin(complaints, words)
    if words and not (consultation.moves or consultation.claims or consultation.outside):
        raise TraindxError(
            f'"{words}": fits none of the symptoms; choose one by --symptom (traindx ask --help lists them)'
        )
    for path in paths:
        consultation = give(consultation, gather(path))
    for pair in arguments.answer:
        consultation = tell(consultation, named_answer(pair))
    for text in arguments.claim:
        consultation = claim(consultation, claims_named(text))
    return consultation


def _is_path(text: str) -> bool:
    """Whether somebody who typed this meant a file, even if it is not there."""
    if text == "-" or os.path.exists(os.path.expanduser(text)):
        return True
    return " " not in text and (
        "/" in text or text.endswith((".py", ".log", ".json", ".csv", ".yaml", ".txt"))
    )


def _tell(consultation: "Consultation", places: dict[str, str]) -> int:
    from traindx.cli._output import coloured, publish, terminal_width
    from traindx.interview.session import conclude
    from traindx.report.documents.interview import interview_document
    from traindx.report.markdowns.exams import interview_page
    from traindx.report.terminal.interview import conclusion_text

    conclusion = conclude(consultation)
    text = conclusion_text(
        conclusion, width=terminal_width(), colour=coloured(), ask=_how_to_answer(conclusion)
    )
    makers: dict[str, Maker] = {
        "json": lambda: interview_document(conclusion),
        "md": lambda: interview_page(conclusion),
    }
    return DONE if publish("ask", places, makers, text) else BAD_INPUT


def _how_to_answer(conclusion: "Conclusion") -> str:
    question = conclusion.question
    if question is None:
        return ""
    if question.choices:
        return f"--answer {question.slug}={'|'.join(one.slug for one in question.choices)}"
    return " ".join(f"--answer {one.names[0]}=..." for one in question.needed)


def _list_questions() -> int:
    from traindx.cli._output import coloured, terminal_width
    from traindx.interview import knowledge
    from traindx.report.terminal.interview import questions_text

    sys.stdout.write(questions_text(knowledge.questions(), width=terminal_width(), colour=coloured()))
    return DONE
