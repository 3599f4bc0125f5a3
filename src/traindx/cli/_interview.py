"""The interview on a terminal: asks, echoes each answer as it was understood, and shows what it changed."""

import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from traindx.cli._output import text_for
from traindx.errors import TraindxError
from traindx.format import printable
from traindx.interview.answers import next_question
from traindx.interview.check_claim import check
from traindx.interview.claims import claims_in, claims_named
from traindx.interview.complaints import COMPLAINTS, OTHER, complaint_named, complaints_in
from traindx.interview.evidence import gather
from traindx.interview.parse_answer import answer_to
from traindx.interview.questions.types import Complaint, Question, Told
from traindx.interview.session import begin, claim, give, tell
from traindx.interview.types import Claim, Consultation, Move
from traindx.report.blocks import Block, Page
from traindx.report.results.interview import asked, bars, opening
from traindx.report.results.interview import claim as claim_blocks
from traindx.trials.types import Progress

Read = Callable[[str], str]

_PROMPT = "> "
_LONG = 600
_RUNS = Path(".traindx/runs")


class EndedError(Exception):
    """The person wants to stop here."""


@dataclass(frozen=True)
class _Desk:
    """Where is read from and said to."""

    read: Read
    say: Progress

    def show(self, *blocks: Block, before: str = "") -> None:
        """Show a part of a page."""
        self.say(before + text_for(Page("", blocks)))

    def show_beliefs(self, move: Move) -> None:
        """Show how the likeliest causes stand after an answer, and how far it moved them."""
        self.show(bars(move.after, move.before))

    def note(self, what: str) -> None:
        """Echo what was understood."""
        self.say(f"   noted: {printable(what, _LONG)}\n")

    def ask(self) -> str:
        """The next line; the end of input ends the interview."""
        try:
            typed = self.read(_PROMPT).strip()
        except (EOFError, KeyboardInterrupt) as error:
            raise EndedError from error
        if typed.lower() in ("q", "quit", "exit", "stop"):
            raise EndedError
        return typed


def interviewed(
    consultation: Consultation, read: Read | None = None, say: Progress | None = None
) -> Consultation:
    """The consultation after the interview; ended early it holds what is known so far."""
    if read is None:
        # With it, lines can be edited and called back.
        with suppress(ImportError):
            import readline  # noqa: F401
    desk = _Desk(read or input, say or _print)
    desk.show(*opening())
    try:
        while not (consultation.interview.complaints or consultation.outside):
            consultation = _complain(desk, consultation)
        while (question := next_question(consultation.interview)) is not None:
            consultation = _ask(desk, consultation, question)
        desk.say("\n")
    except EndedError:
        desk.say("\nStopped here; the result so far:\n\n")
    return consultation


def _print(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def _complain(desk: _Desk, consultation: Consultation) -> Consultation:
    """Ask for the complaint once; it may belong to another field, or be none."""
    entries = [complaint.says for complaint in COMPLAINTS.values()]
    asks = "What do you see? Type one or more numbers, such as 1 3, or describe it."
    desk.show(*asked(asks, 1, entries))
    typed = desk.ask()
    aside = _aside(desk, consultation, typed)
    if aside is not None:
        return aside
    chosen, words = _chosen(typed), typed
    if chosen == (OTHER,):
        desk.say("   Describe it in one sentence.\n")
        words = desk.ask()
        chosen = complaints_in(words) or (OTHER,)
    elif chosen:
        words = ""
    begun = begin(chosen, words)
    if begun.outside and not complaints_in(words):
        # What is described belongs elsewhere: there is nothing to ask.
        return replace(consultation, outside=begun.outside, claims=begun.claims)
    if begun.interview.complaints:
        return _joined(desk, begun, consultation)
    if begun.claims:
        return _check(desk, consultation, begun.claims)
    desk.say(f'   "{printable(typed, _LONG)}" matches none of these; type a number, or other words.\n\n')
    return consultation


def _joined(desk: _Desk, begun: Consultation, consultation: Consultation) -> Consultation:
    """A consultation that has a complaint, with what was given before it."""
    for gathered in consultation.interview.gathered:
        begun = give(begun, gathered)
    begun = claim(begun, consultation.claims)
    desk.note(begun.interview.complaint)
    desk.show_beliefs(begun.moves[-1])
    return begun


def _chosen(typed: str) -> tuple[Complaint, ...]:
    """Complaints by number or slug; none if the words are something else."""
    known = list(COMPLAINTS.values())
    words = typed.replace(",", " ").split()
    try:
        chosen = [
            known[int(word) - 1] if word.isdecimal() and int(word) else complaint_named(word)
            for word in words
        ]
    except (IndexError, TraindxError):
        return ()
    return tuple(dict.fromkeys(chosen))


def _ask(desk: _Desk, consultation: Consultation, question: Question) -> Consultation:
    """Ask until there is an answer, or something else that was typed instead."""
    number = len(consultation.interview.told) + 2
    choices = [choice.says for choice in question.choices]
    desk.show(*asked(question.asks, number, choices, question.look), before="\n")
    while True:
        typed = desk.ask()
        aside = _aside(desk, consultation, typed)
        if aside is not None:
            return aside
        try:
            answer = _told(question, typed)
        except TraindxError as error:
            if claims_in(typed):
                return _check(desk, consultation, claims_in(typed))
            desk.say(f"   {_not_offered(question, typed) if question.choices else error}\n")
            continue
        if not _is_meant(desk, consultation, answer):
            continue
        consultation = tell(consultation, answer)
        if answer.is_known:
            desk.show_beliefs(consultation.moves[-1])
        return consultation


def _not_offered(question: Question, typed: str) -> str:
    """What is said to an answer that is not among those on the screen, which shows their numbers."""
    known = f"type a number from 1 to {len(question.choices)}, or Enter if you don't know"
    return f'"{printable(typed, _LONG)}" is not one of the answers; {known}'


def _is_meant(desk: _Desk, consultation: Consultation, answer: Told) -> bool:
    """Echo an answer; one far outside of the typical range counts only once it is confirmed."""
    doubt = answer.doubts(consultation.interview.facts)
    if not doubt:
        desk.note(answer.says)
        return True
    desk.note(f"{answer.says}. {doubt[:1].upper()}{doubt[1:]}; is that right? [Y/n]")
    if desk.ask().lower() in ("", "y", "yes"):
        return True
    desk.say("   Type the answer again.\n")
    return False


def _told(question: Question, typed: str) -> Told:
    if question.choices and typed.isdecimal() and 0 < int(typed) <= len(question.choices):
        return Told(question, choice=question.choices[int(typed) - 1])
    return answer_to(question, typed)


def _aside(desk: _Desk, consultation: Consultation, typed: str) -> Consultation | None:
    """A path, a program to run or a claim instead of an answer; None if it is none of them."""
    try:
        if typed.startswith("run "):
            return _record(desk, consultation, typed.removeprefix("run "))
        if typed.startswith("claim "):
            return _check(desk, consultation, claims_named(typed.removeprefix("claim ")))
        if typed and not typed.isdecimal() and os.path.exists(os.path.expanduser(typed)):
            return _give(desk, consultation, typed)
    except TraindxError as error:
        desk.say(f"   {printable(str(error), _LONG)}\n")
        return consultation
    return None


def _check(desk: _Desk, consultation: Consultation, claims: tuple[Claim, ...]) -> Consultation:
    """Check claims against the evidence."""
    for candidate in claims:
        desk.show(*claim_blocks(check(candidate, consultation.interview, consultation.ranking)))
    return claim(consultation, claims)


def _give(desk: _Desk, consultation: Consultation, path: str) -> Consultation:
    consultation = give(consultation, gather(path))
    move = consultation.moves[-1]
    desk.note(f"{move.asks}: {move.says}")
    desk.show_beliefs(move)
    return consultation


def _record(desk: _Desk, consultation: Consultation, command: str) -> Consultation:
    """Run and record a program, after consent."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise TraindxError(f"run {command}: {error}; type it as in a shell") from error
    desk.say(f"   traindx run -- {command}   runs and records your program. Continue? [y/N]\n")
    if desk.ask().lower() not in ("y", "yes"):
        desk.say("   Not run.\n")
        return consultation
    before = set(_RUNS.glob("*"))
    _run([sys.executable, "-m", "traindx", "run", "--", *words])
    new = sorted(set(_RUNS.glob("*")) - before)
    if not new:
        raise TraindxError(f"run {command}: nothing recorded; see its output above")
    return _give(desk, consultation, str(new[-1]))


def _run(command: list[str]) -> None:
    """Run a command to its end; Ctrl-C is for the program, which may want to end in its own way."""
    with subprocess.Popen(command) as program:  # noqa: S603
        before = signal.signal(signal.SIGINT, lambda *_: None)
        try:
            program.wait()
        finally:
            signal.signal(signal.SIGINT, before)
