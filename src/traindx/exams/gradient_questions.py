"""What is asked of the gradients of one batch, and what the answers mean."""

from collections.abc import Sequence
from dataclasses import dataclass

from traindx.curves.inside import is_matrix
from traindx.exams.judging import Question, asked, joined, nonfinite_in
from traindx.finding import Finding, Severity
from traindx.gradient_exam import GradientRow
from traindx.problem import Problem, worst_first
from traindx.run import Run
from traindx.signs.activations_fade_over_depth import activations_fade_over_depth
from traindx.signs.activations_swell_over_depth import activations_swell_over_depth
from traindx.signs.gradient_fades_over_depth import gradient_fades_over_depth
from traindx.signs.gradient_never_arrives import gradient_never_arrives
from traindx.signs.gradient_starts_huge import gradient_starts_huge
from traindx.signs.gradient_swells_over_depth import gradient_swells_over_depth
from traindx.signs.held_as_drawn import held_as_drawn
from traindx.signs.weights_start_equal import weights_start_equal
from traindx.signs.weights_start_far_off import weights_start_far_off
from traindx.signs.weights_start_tiny import weights_start_tiny
from traindx.wording import count, listed

_NAMED = 3


@dataclass(frozen=True)
class Judged:
    """Problems, the worst first, and what is worth knowing besides."""

    problems: tuple[Problem, ...]
    notes: tuple[str, ...]


def _huge(run: Run, finding: Finding) -> str:
    return finding.says.removeprefix("at step 1 ")


def _weights(run: Run, finding: Finding) -> str:
    return finding.says.replace("begins with", "has")


def _unreached(run: Run, finding: Finding) -> str:
    return finding.says.replace("never got a gradient other than zero", "get no gradient: the loss does not reach them")


SYMMETRY = (Question(weights_start_equal, "bad-initialization"),)
_HOWS = (
    Question(gradient_fades_over_depth, "vanishing-gradients"),
    Question(activations_fade_over_depth, "vanishing-gradients"),
    Question(gradient_swells_over_depth, "exploding-gradients"),
    Question(gradient_starts_huge, "exploding-gradients", grows=True, says=_huge),
    Question(activations_swell_over_depth, "exploding-gradients"),
)
SCALES = (
    Question(weights_start_tiny, "bad-initialization", says=_weights),
    Question(weights_start_far_off, "bad-initialization", says=_weights),
)
"""Asked where gradients are ill: weights that have learned may have any size."""
_STRUCTURE = (
    Question(gradient_never_arrives, "detached-graph", says=_unreached),
    Question(held_as_drawn, "frozen-parameters"),
)


def judged(run: Run, rows: Sequence[GradientRow], zeros: Sequence[str]) -> Judged:
    """What is wrong with the gradients of one batch; `zeros` are weights that are all zero."""
    problems = nonfinite_in(run)
    if not problems:
        # Sizes say nothing once some are not finite; what is cut off or frozen is still to be seen.
        hows = asked(run, _HOWS)
        problems = [*asked(run, SYMMETRY), *(asked(run, SCALES) if hows else []), *hows]
    problems = joined([*problems, *asked(run, _STRUCTURE)])
    notes = []
    frozen = [row.layer.name for row in rows if row.state == "frozen"]
    if frozen and len(frozen) == len(rows):
        says = f"all {count(len(frozen), 'parameter')} are frozen (requires_grad is off): nothing can learn"
        problems = [Problem("frozen-parameters", Severity.CRITICAL, says, tuple(frozen))]
    elif frozen:
        notes.append(f"{count(len(frozen), 'parameter')} frozen: {listed(frozen, _NAMED)}")
    return Judged(worst_first([*problems, *_zero(rows, zeros, notes)]), tuple(notes))


def _zero(rows: Sequence[GradientRow], zeros: Sequence[str], notes: list[str]) -> list[Problem]:
    """Weight matrices that the loss reaches with nothing: rounding, comparing, or a layer that is silent."""
    matrices = [row for row in rows if is_matrix(row.layer) and row.layer.trainable]
    nothing = [row.layer.name for row in matrices if row.state == "zero"]
    if not nothing:
        return []
    told = f"{listed(nothing, _NAMED)}: the gradient is exactly zero, though the loss reaches them"
    if zeros:
        notes.append(f"{told}; it passes {listed(list(zeros), _NAMED)}, which begins at zero and learns first")
        return []
    severity = Severity.SERIOUS if 2 * len(nothing) >= len(matrices) else Severity.WARNING
    return [Problem("detached-graph", severity, told, tuple(nothing))]
