"""The pages of the knowledge base: a cause and a check as Markdown."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from traindx.cause import Cause, Clue, Kind, Prescription, Safety, Symptom
from traindx.diagnosis import knowledge
from traindx.diagnosis.calibration import health_points
from traindx.finding import Severity, Sign
from traindx.format import number

_SAFETY = {
    Safety.SAFE: "safe to apply: can be undone and has no side effects",
    Safety.ASK: "review: changes results or cost",
    Safety.MANUAL: "manual: needs your judgment",
}


@dataclass(frozen=True)
class Page:
    """A title, a first paragraph and sections, all in Markdown."""

    title: str
    opening: str
    sections: tuple[tuple[str, str], ...]
    folded: tuple[str, str]
    """The heading and text of the last section, which few readers need."""

    def __str__(self) -> str:
        """The whole page."""
        parts = [f"# {self.title}", self.opening, *(f"## {head}\n\n{text}" for head, text in self.sections)]
        heading, text = self.folded
        parts.append(f"<details>\n<summary>{heading}</summary>\n\n{text}\n\n</details>")
        return "\n\n".join(parts) + "\n"


def cause_page(cause: Cause) -> Page:
    """Everything known about a cause: its docstring, and what its declaration adds."""
    page = cause.sections
    sections = (
        ("What you see", page["What you see"]),
        ("What to change", "\n\n".join(_fix(n, fix) for n, fix in enumerate(cause.fixes, start=1))),
        ("What not to do", page["What not to do"]),
        ("Often confused with", f"{page['Often confused with']}\n\n{_experiment(cause)}"),
        ("What happens", page["What happens"]),
        ("References", page["References"]),
    )
    return Page(cause.title, f"{summary(cause)}\n\n{_kind(cause)}", sections, ("Evidence", _clues(cause)))


def sign_page(sign: Sign) -> Page:
    """Everything known about a check: what it tests, on which quantities, its limits and what it implies."""
    opening = f"{sign.asks}\n\n{facts(sign)}"
    sections = (("Limits", _limits(sign)), ("What it implies", _implied(sign)))
    return Page(sign.slug, opening, sections, ("Log-odds", _log_odds(sign)))


def facts(sign: Sign) -> str:
    """What a check reads, and how serious a hit is."""
    none = sign.severity is Severity.INFO
    severity = (
        "informational: a hit is normal or good" if none else f"severity of a hit: {sign.severity.value}"
    )
    former = f" Formerly `{sign.formerly}`." if sign.formerly else ""
    return f"Reads {_needs(sign)}; {severity}.{former}"


def _needs(sign: Sign) -> str:
    """The quantities a check reads, in words."""
    if not sign.needs:
        return "the whole run"
    alternatives = [need if isinstance(need, tuple) else (need,) for need in sign.needs]
    return ", and ".join(_either([f"`{need.slug}`" for need in any_of]) for any_of in alternatives)


def _either(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"


def limits_table(sign: Sign) -> str:
    """A check's limits and where each comes from."""
    rows = [(f"`{limit.name}`", number(limit.value), limit.source) for limit in sign.limits]
    return _table("limit, value>, meaning and source", rows) if rows else "This check has no limits."


def _limits(sign: Sign) -> str:
    if not sign.limits:
        return limits_table(sign)
    first = sign.limits[0]
    return (
        f"{limits_table(sign)}\n\nTo change one: `--limit {sign.slug}.{first.name}={first.value:g}`, or"
        f" `{sign.slug}.{first.name} = {first.value:g}` under `[tool.traindx.limits]` in `pyproject.toml`."
    )


def causes_table(causes: Iterable[Cause]) -> str:
    """Name, symptom and first fix of each cause."""
    rows = [(f"{cause.title} `{cause.slug}`", symptom(cause), cause.fixes[0].title) for cause in causes]
    return _table("cause, what you see, first fix", rows)


def symptoms_table(causes: Iterable[Cause]) -> str:
    """From each symptom to its possible causes and the first thing to change, as the causes declare."""
    known = list(causes)
    rows = []
    for symptom in Symptom:
        # Causes that mainly show this symptom come first.
        led = sorted(
            (cause.symptoms.index(symptom), cause.slug, cause) for cause in known if symptom in cause.symptoms
        )
        for index, (_, _, cause) in enumerate(led):
            complaint = symptom.value if index == 0 else ""
            rows.append((complaint, f"`{cause.slug}`", cause.fixes[0].title))
    return _table("what you see, possible cause, first fix", rows)


def misdiagnoses_table(causes: Iterable[Cause]) -> str:
    """What people say, what they blame, and the actual cause, as the causes declare."""
    usual: dict[tuple[str, str], list[str]] = {}
    for cause in causes:
        for misdiagnosis in cause.misdiagnoses:
            usual.setdefault((misdiagnosis.says, misdiagnosis.blames), []).append(f"`{cause.slug}`")
    rows = [(says, blames, ", ".join(slugs)) for (says, blames), slugs in sorted(usual.items())]
    return _table("people say, and blame, often it is", rows)


def _table(titles: str, rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table under titles with commas between them; one that ends with ">" heads numbers."""
    heads = titles.split(", ")
    rules = "|".join("--:" if head.endswith(">") else "---" for head in heads)
    lines = [f"| {' | '.join(row)} |" for row in ([head.rstrip(">") for head in heads], *rows)]
    return "\n".join([lines[0], f"|{rules}|", *lines[1:]])


def symptom(cause: Cause) -> str:
    """The start of "What you see", long enough to be useful."""
    return _opening(cause.sections["What you see"], 60)


def summary(cause: Cause) -> str:
    """The cause in one sentence."""
    return cause.definition or _opening(cause.sections["What happens"], 1)


def _opening(text: str, least: int) -> str:
    """The first sentences of a text, until they have some length."""
    opening = ""
    for sentence in re.split(r"(?<=\.)\s+(?=[A-Z])", text):
        opening = f"{opening} {' '.join(sentence.split())}".strip()
        if len(opening) >= least:
            break
    return opening


def _kind(cause: Cause) -> str:
    """Whether a cause is a root cause or a mechanism, and which others it belongs to."""
    if cause.kind is Kind.WHY:
        via = f" It acts via {_slugs(cause.acts_through)}." if cause.acts_through else ""
        return f"`{cause.slug}` is a root cause.{via}"
    roots = [other.slug for other in knowledge.causes() if cause.slug in other.acts_through]
    such = f", such as {_slugs(roots)}" if roots else ""
    return f"`{cause.slug}` is a mechanism: usually a consequence of another cause{such}."


def _slugs(slugs: Iterable[str]) -> str:
    return ", ".join(f"`{slug}`" for slug in slugs)


def _clues(cause: Cause) -> str:
    """The log-odds that each check adds, the strongest evidence first."""
    lines = [f"Log-odds added by each check; the prior is {cause.prior:+g}.\n"]
    for clue in sorted(cause.clues, key=lambda clue: -clue.seen):
        otherwise = f"; if clear, {_strength(clue.unseen)}" if clue.unseen else ""
        counts = _strength(clue.seen) or "no weight alone"
        lines.append(f"- {counts}: {clue.sign.asks.rstrip('.')} (`{clue.sign.slug}`){otherwise}")
    return "\n".join(lines)


def _implied(sign: Sign) -> str:
    """The causes that a hit supports, and those that it contradicts."""
    clues = sorted(_clues_from(sign), key=lambda pair: -abs(pair[1].seen))
    named = {
        "supports": [cause.slug for cause, clue in clues if clue.seen > 0],
        "contradicts": [cause.slug for cause, clue in clues if clue.seen < 0],
    }
    lines = [f"- a hit {verb} {_slugs(slugs)}" for verb, slugs in named.items() if slugs]
    return "\n".join(lines) or "Nothing on its own: a hit is shown as an observation."


def _log_odds(sign: Sign) -> str:
    """What a hit and a clear result add to the log-odds of each cause, and of a healthy run."""
    rows = [
        (f"`{cause.slug}`", _strength(clue.seen), _strength(clue.unseen)) for cause, clue in _clues_from(sign)
    ]
    if (points := health_points(sign)) or sign.unhealthy:
        rows.append(("healthy", _strength(points), _strength(sign.unhealthy)))
    return _table("cause, if hit, if clear", rows) if rows else "This check adds nothing to any cause."


def _clues_from(sign: Sign) -> list[tuple[Cause, Clue]]:
    """The causes that count a check, with what it counts."""
    return [
        (cause, clue) for cause in knowledge.causes() for clue in cause.clues if clue.sign.slug == sign.slug
    ]


def _strength(log_odds: float) -> str:
    """Log-odds in words, with the number."""
    if log_odds == 0:
        return ""
    size = "strong" if abs(log_odds) >= 2 else "clear" if abs(log_odds) >= 1 else "weak"
    return f"{size} evidence {'for' if log_odds > 0 else 'against'} ({log_odds:+g})"


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
        f"**Confirm it.** {test.does}.\n\n"
        f"- if it is `{cause.slug}`: {test.if_true}\n- if not: {test.if_false}"
    )
