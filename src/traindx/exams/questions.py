"""What an exam asks: checks with their outcome, and signs with the causes they support."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from traindx.causes import non_finite_inputs
from traindx.curves.failure import first_nonfinite
from traindx.facts import NONFINITE_SOURCE
from traindx.finding import NON_FINITE, Evidence, Finding, Mark, Row, Severity, Sign, problem
from traindx.format import count
from traindx.quantities import INPUT_NONFINITE_SHARE, NONFINITE_SHARE
from traindx.run import Run


@dataclass(frozen=True)
class Outcome:
    """The answer of a check: what it found, and a sentence beside it."""

    says: str = ""
    """What was seen where nothing is wrong, or why it was not looked at."""
    findings: tuple[Finding, ...] = ()
    is_told: bool = True
    """Whether the check could look at all."""
    evidence: tuple[Evidence, ...] = ()
    """For `says`."""


def unseen(why: str, evidence: tuple[Evidence, ...] = ()) -> Outcome:
    """The answer of a check whose question does not arise, or cannot be answered."""
    return Outcome(why, is_told=False, evidence=evidence)


def fault(
    cause: str,
    severity: Severity,
    says: str,
    todo: str,
    code: str = "",
    *,
    columns: Iterable[str] = (),
    samples: tuple[Row, ...] = (),
) -> Outcome:
    """The answer of a check that found one thing, and has no more to say than that."""
    finding = problem(cause, severity, says, todo=todo, code=code, columns=columns, samples=samples)
    return Outcome(says, (finding,))


@dataclass(frozen=True, eq=False)
class Check:
    """One thing that an exam looks at."""

    slug: str
    title: str
    """What it is about, as a short noun."""
    ask: Callable[..., Outcome]
    """Takes what is examined."""
    order: int
    """Where it stands in its part of the report."""
    part: str = ""
    clears: tuple[str, ...] = ()
    """Slugs of causes that are not to be feared where nothing was found."""
    yields: bool = False
    """Whether a fail is a warning where the program learns one batch by heart all the same."""


def check(
    slug: str, title: str, order: int, part: str = "", clears: tuple[str, ...] = ()
) -> Callable[[Callable[..., Outcome]], Check]:
    """Make a function a check."""
    return lambda ask: Check(slug, title, ask, order, part, clears)


def worst_mark(findings: Iterable[Finding]) -> Mark:
    """How a check ended that found these: pass where it found nothing."""
    return max((finding.mark for finding in findings), key=lambda mark: mark.rank, default=Mark.PASS)


@dataclass(frozen=True)
class Checked:
    """A check, and what it came to."""

    check: Check
    outcome: Outcome

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What it found."""
        return self.outcome.findings

    @property
    def says(self) -> str:
        """What was seen where nothing is wrong, or why it was not looked at."""
        return self.outcome.says

    @property
    def mark(self) -> Mark:
        """How it ended."""
        return worst_mark(self.findings) if self.outcome.is_told else Mark.UNSEEN

    @property
    def answer(self) -> str:
        """The worst that it found; what it says where it found nothing."""
        worst = max(self.findings, key=lambda finding: finding.degree.rank, default=None)
        return self.says if worst is None else worst.says

    @property
    def remark(self) -> Mark:
        """The mark of what `says` tells beside the findings."""
        return Mark.PASS if self.outcome.is_told else Mark.UNSEEN

    @property
    def causes(self) -> tuple[str, ...]:
        """The causes that fails and warnings point to, each once."""
        return tuple(
            dict.fromkeys(slug for finding in self.findings if is_bad(finding) for slug in finding.causes)
        )


def is_bad(finding: Finding) -> bool:
    """Whether it is more than a remark."""
    return finding.mark is not Mark.PASS


def verdict(checks: Iterable[Checked]) -> Mark:
    """The worst mark of all checks."""
    return max((checked.mark for checked in checks), key=lambda mark: mark.rank, default=Mark.UNSEEN)


_SURE = 0.55
"""Strength below which a finding counts one degree less, a warning not at all: it may be harmless."""
_TODO = {
    "input": "Find the samples with NaN or infinity, and drop or fill them before they reach the model",
    "parameter": "Go back to an earlier checkpoint; traindx run finds the step and layer of the first NaN",
    "gradient": "Keep the denominator of the derivative away from zero, as in sqrt(x + 1e-8)",
    "loss": "Use a loss function that takes logits",
    "": "Print the inputs and weights of the first layer named here to find the value that is too large",
}
"""What to do, by what brought in the first value that is not finite."""
_BEYOND_DOUBT = 0.95
"""Strength from which on a warning is counted as serious: a hundred times the limit."""


@dataclass(frozen=True, eq=False)
class Question:
    """A sign, and the cause it speaks for when one batch shows it."""

    sign: Sign
    cause: str
    severity: Severity | None = None
    """Where it means more or less to an exam than to a training."""
    least: float = 0.0
    """Strength that it takes for a yes of one batch to count."""
    grows: bool = False
    """Whether it is serious where it is far beyond its limit."""
    says: Callable[[Run, Finding], str] = lambda _, finding: finding.says
    layers: Callable[[Run, Finding], tuple[str, ...]] = lambda _, finding: tuple(
        dict.fromkeys(evidence.layer for evidence in finding.evidence if evidence.layer)
    )


def asked(run: Run, questions: Iterable[Question]) -> list[Finding]:
    """A problem for every question whose answer is yes."""
    findings = []
    for question in questions:
        answer = question.sign(run)
        if isinstance(answer, Finding) and answer.strength >= question.least:
            severity = question.severity or question.sign.severity
            if answer.strength < _SURE:
                severity = list(Severity)[max(severity.rank - 1, 0)]
            elif answer.strength >= _BEYOND_DOUBT and question.grows:
                severity = max(severity, Severity.SERIOUS, key=lambda each: each.rank)
            if severity is not Severity.INFO:
                findings.append(
                    problem(
                        question.cause, severity, question.says(run, answer), question.layers(run, answer)
                    )
                )
    return findings


def cleared(run: Run, questions: Iterable[Question], problems: Iterable[Finding]) -> tuple[str, ...]:
    """The causes that were looked for and not found: the answer is no, not that nobody knows."""
    accused = {finding.cause for finding in problems}
    denied = [
        question.cause
        for question in questions
        if question.cause not in accused and question.sign(run) is None
    ]
    return tuple(dict.fromkeys(denied))


def joined(problems: Iterable[Finding]) -> list[Finding]:
    """One problem for each cause: what several questions say of it weighs more than what each does."""
    by_cause: dict[str, list[Finding]] = {}
    for finding in problems:
        by_cause.setdefault(finding.cause, []).append(finding)
    findings = []
    for cause, some in by_cause.items():
        worst = max(some, key=lambda finding: finding.degree.rank).degree
        severity = Severity.SERIOUS if len(some) > 1 and worst is Severity.WARNING else worst
        layers = tuple(dict.fromkeys(layer for finding in some for layer in finding.layers))
        todo = next((finding.todo for finding in some if finding.todo), "")
        findings.append(problem(cause, severity, "; ".join(finding.says for finding in some), layers, todo))
    return findings


def nonfinite_in(run: Run) -> list[Finding]:
    """Where a NaN or an infinity comes from, if there is one: once, for all that follow from it."""
    inputs = [series for series in run.all(INPUT_NONFINITE_SHARE) if series.values.max() > 0]
    if inputs:
        share = float(inputs[0].values.max())
        says = f"{share_text(share)} of the input values are NaN or infinite"
        return [problem(non_finite_inputs.CAUSE.slug, Severity.CRITICAL, says, todo=_TODO["input"])]
    event = first_nonfinite(run)
    if event is not None:
        source = str(run.facts.get(NONFINITE_SOURCE, ""))
        cause = non_finite_inputs.CAUSE.slug if source == "input" else NON_FINITE
        layers = (event.layer,) if event.layer else ()
        return [problem(cause, Severity.CRITICAL, event.says, layers, _TODO.get(source, _TODO[""]))]
    broken = [series for series in run.all(NONFINITE_SHARE) if series.layer and series.values.max() > 0]
    if not broken:
        return []
    first = broken[0]
    what = "gradients" if first.part == "gradient" else "outputs"
    share = float(first.values.max())
    says = f"layer `{first.layer}`: {share_text(share)} of its {what} are NaN or infinite"
    if len(broken) > 1:
        says += f"; {count(len(broken) - 1, 'later layer')} too"
    return [problem(NON_FINITE, Severity.CRITICAL, says, tuple(series.layer for series in broken), _TODO[""])]


_WHOLE = 0.1
"""Share from which whole percents are precise enough."""


def share_text(share: float) -> str:
    """A measured share with three significant digits, however small it is."""
    return f"{share:.0%}" if share >= _WHOLE else f"{100 * share:.3g}%"


def worst_first(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Findings by severity; those that are equally bad stay in their order."""
    return tuple(sorted(findings, key=lambda finding: -finding.degree.rank))
