"""Which verdicts fit a label of the shared logs or of the recorded trainings, written down once."""

from traindx.diagnosis.types import Diagnosis, Verdict

_SEEN = {
    "nonfinite": {"loss_not_finite", "gradient_not_finite"},
    "diverged": {"loss_diverges", "loss_climbs_before_failure"},
    "not-learning": {"loss_flat_from_start", "loss_at_chance", "accuracy_at_chance", "reward_flat"},
    "overfitting": {"validation_turns_up", "validation_never_improves", "validation_metric_declines"},
    "spike-recover": {"loss_spikes", "spikes_recur", "loss_leaps_above_start"},
    "plateau": {"loss_plateaus", "loss_converged"},
    "oscillating": {"loss_oscillates", "validation_noisy"},
    "val-noisy": {"validation_noisy"},
}
_HEALTHY = {"healthy", "converged-early", "lr-decay-drop"}
_SICK = {"nonfinite", "diverged", "not-learning", "overfitting"}


def fits(shapes: list[str], diagnosis: Diagnosis | None) -> bool:
    """Whether a diagnosis says what the labels of a log say; None stands for a log that cannot be read."""
    if diagnosis is None:
        return shapes == ["unknown"]
    slugs = {asked.sign.slug for asked in diagnosis.findings}
    if set(shapes) <= {"unknown", "too-short-to-tell"}:
        return diagnosis.verdict is Verdict.INCONCLUSIVE
    ill = [shape for shape in shapes if shape in _SICK]
    if "healthy" in shapes or (not ill and set(shapes) & _HEALTHY):
        return diagnosis.verdict is Verdict.HEALTHY
    shown = all(slugs & _SEEN[shape] for shape in (ill or shapes) if shape in _SEEN)
    if ill == ["overfitting"]:
        return shown and bool(diagnosis.suspects) and diagnosis.suspects[0].cause.slug == "overfitting"
    return shown and (diagnosis.verdict is Verdict.SICK or not ill)
