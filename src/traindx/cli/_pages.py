"""The pages of the knowledge base: a cause and a sign as Markdown."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from traindx.cause import Cause, Kind, Prescription, Safety, Symptom
from traindx.diagnosis import knowledge
from traindx.diagnosis.calibration import health_points
from traindx.finding import Severity, Sign
from traindx.format import count, number

_KINDS = {
    Kind.WHY: "a root cause: why a training fails",
    Kind.HOW: "a mechanism: how a training fails; the root behind it may be another",
}
_SAFETY = {
    Safety.SAFE: "safe: it can be undone and harms nothing",
    Safety.ASK: "ask first: it changes the result or the cost",
    Safety.MANUAL: "by hand: it needs a person's judgement",
}


@dataclass(frozen=True)
class Page:
    """A title, a first paragraph and sections, all in Markdown."""

    title: str
    opening: str
    sections: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        """The whole page."""
        parts = [f"# {self.title}", self.opening, *(f"## {head}\n\n{text}" for head, text in self.sections)]
        return "\n\n".join(parts) + "\n"


def cause_page(cause: Cause) -> Page:
    """What is known about a cause: its docstring, and what its declaration adds."""
    page = cause.sections
    sections = (
        ("What happens", page["What happens"]),
        ("What you see", page["What you see"]),
        ("What speaks for it", _clues(cause)),
        ("What to change", "\n\n".join(_fix(n, fix) for n, fix in enumerate(cause.fixes, start=1))),
        ("What not to do", page["What not to do"]),
        ("The experiment that tells", _experiment(cause)),
        ("Often confused with", page["Often confused with"]),
        ("References", page["References"]),
    )
    return Page(cause.title, f"`{cause.slug}` is {_KINDS[cause.kind]}.{_kin(cause)}", sections)


def sign_page(sign: Sign) -> Page:
    """What is known about a sign: what it asks, of what, against which limits, and what the answer tells."""
    opening = f"{sign.asks}\n\nIt looks at {needs(sign)}. A clear yes is {harm(sign)}."
    return Page(sign.slug, opening, (("Limits", _limits(sign)), ("What the answer tells", _told_by(sign))))


def needs(sign: Sign) -> str:
    """The quantities a sign looks at, in words."""
    if not sign.needs:
        return "the run as a whole"
    alternatives = [need if isinstance(need, tuple) else (need,) for need in sign.needs]
    return ", and at ".join(_either([f"`{one.slug}`" for one in any_of]) for any_of in alternatives)


def _either(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"


def limits_table(sign: Sign) -> str:
    """A sign's limits and where each comes from."""
    rows = [f"| `{limit.name}` | {number(limit.value)} | {limit.source} |" for limit in sign.limits]
    table = ["| limit | value | what it is; where it comes from |", "|---|--:|---|", *rows]
    return "\n".join(table) if rows else "It has no limits."


def _limits(sign: Sign) -> str:
    if not sign.limits:
        return limits_table(sign)
    first = sign.limits[0]
    return (
        f"{limits_table(sign)}\n\nAnother value: `--limit {sign.slug}.{first.name}={first.value:g}`,"
        f" or `{sign.slug}.{first.name} = {first.value:g}` under `[tool.traindx.limits]` in `pyproject.toml`."
    )


def causes_table(causes: Iterable[Cause]) -> str:
    """Symptom, cause and first fix of each, for someone who has only the symptom."""
    rows = [
        f"| {symptom(cause)} | `{cause.slug}` | {cause.kind.value} | {cause.fixes[0].title} |"
        for cause in causes
    ]
    return "\n".join(["| what you see | cause | how or why | first fix |", "|---|---|---|---|", *rows])


def symptoms_table(causes: Iterable[Cause]) -> str:
    """From each complaint to the causes behind it and the first thing to change, as the causes declare."""
    known = list(causes)
    rows = []
    for symptom in Symptom:
        # Those whose commonest complaint it is come first.
        led = sorted((one.symptoms.index(symptom), one.slug, one) for one in known if symptom in one.symptoms)
        for place, (_, _, cause) in enumerate(led):
            complaint = symptom.value if place == 0 else ""
            rows.append(f"| {complaint} | `{cause.slug}` | {cause.fixes[0].title} |")
    return "\n".join(["| what you see | cause | first fix |", "|---|---|---|", *rows])


def misdiagnoses_table(causes: Iterable[Cause]) -> str:
    """What people say, what they blame, and what it usually is, as the causes declare."""
    usual: dict[tuple[str, str], list[str]] = {}
    for cause in causes:
        for one in cause.misdiagnoses:
            usual.setdefault((one.says, one.blames), []).append(f"`{cause.slug}`")
    rows = [f"| {says} | {blames} | {', '.join(slugs)} |" for (says, blames), slugs in sorted(usual.items())]
    return "\n".join(["| people say | and blame | usually it is |", "|---|---|---|", *rows])


def symptom(cause: Cause) -> str:
    """The first words of what you see, as many sentences as it takes to say something."""
    return _opening(cause.sections["What you see"], 60)


def summary(cause: Cause) -> str:
    """The first sentence of what happens."""
    return _opening(cause.sections["What happens"], 1)


def _opening(text: str, least: int) -> str:
    """The first sentences of a text, until they have some length."""
    opening = ""
    for sentence in re.split(r"(?<=\.)\s+(?=[A-Z])", text):
        opening = f"{opening} {' '.join(sentence.split())}".strip()
        if len(opening) >= least:
            break
    return opening


def harm(sign: Sign) -> str:
    """How bad a clear yes is, in a word."""
    words = {Severity.INFO: "normal, or good", Severity.WARNING: "a warning"}
    return words.get(sign.severity, sign.severity.value)


def _kin(cause: Cause) -> str:
    """How roots and mechanisms belong together."""
    if cause.acts_through:
        return f" It fails a training through {_slugs(cause.acts_through)}."
    roots = [other.slug for other in knowledge.causes() if cause.slug in other.acts_through]
    return f" It may come from {_slugs(roots)}." if roots else ""


def _slugs(slugs: Iterable[str]) -> str:
    return ", ".join(f"`{slug}`" for slug in slugs)


def _clues(cause: Cause) -> str:
    """What each observation adds, the weightiest for it first."""
    lines = []
    for clue in sorted(cause.clues, key=lambda clue: -clue.seen):
        otherwise = f"; if not, {_points(clue.unseen)}" if clue.unseen else ""
        counts = _points(clue.seen) or "alone nothing"
        lines.append(f"- {counts}: {clue.sign.asks.rstrip('.')}{otherwise}")
    return "\n".join(lines)


def _told_by(sign: Sign) -> str:
    """What a yes and a no mean for each cause, and for health."""
    told = [(f"`{cause.slug}`", clue) for cause in knowledge.causes() for clue in cause.clues]
    rows = [
        f"| {who} | {_points(clue.seen)} | {_points(clue.unseen)} |"
        for who, clue in told
        if clue.sign.slug == sign.slug
    ]
    if (points := health_points(sign)) or sign.unhealthy:
        rows.append(f"| health | {_points(points)} | {_points(sign.unhealthy)} |")
    if not rows:
        return "Nothing alone: it is shown as an observation."
    return "\n".join(["| about | if so | if not |", "|---|---|---|", *rows])


def _points(points: float) -> str:
    """Log odds in words, with the number."""
    if points == 0:
        return ""
    size = "strongly" if abs(points) >= 2 else "clearly" if abs(points) >= 1 else "slightly"
    return f"{size} {'for' if points > 0 else 'against'} ({points:+g})"


def _fix(position: int, fix: Prescription) -> str:
    facts = [f"- expect: {fix.expect}", f"- not when: {fix.not_when}", f"- {_SAFETY[fix.safety]}"]
    shown = [("Before:", fix.before), ("After:" if fix.before else "", fix.code)]
    code = "".join(_listing(label, lines) for label, lines in shown if lines)
    return f"**{position}. {fix.title}**{code}\n\n" + "\n".join(facts)


def _listing(label: str, lines: str) -> str:
    heading = f"\n\n{label}" if label else ""
    return f"{heading}\n\n```python\n{lines}\n```"


def _experiment(cause: Cause) -> str:
    test = cause.experiment
    return (
        f"{test.does} (about {count(round(test.minutes), 'minute')}).\n\n"
        f"- if it is {cause.slug}: {test.if_true}\n- if it is not: {test.if_false}"
    )
