"""Health as a hypothesis of its own: what speaks for it and what against it.

Its score is what every cause competes with, so that healthy is an answer and not the absence of one.
"""

from traindx.cause import Clue
from traindx.signs.accuracy_at_chance import accuracy_at_chance
from traindx.signs.both_losses_high import both_losses_high
from traindx.signs.data_wait_dominates import data_wait_dominates
from traindx.signs.gradient_norm_grows import gradient_norm_grows
from traindx.signs.gradient_norm_vanishes import gradient_norm_vanishes
from traindx.signs.gradient_not_finite import gradient_not_finite
from traindx.signs.gradient_spikes_before_loss import gradient_spikes_before_loss
from traindx.signs.loss_at_chance import loss_at_chance
from traindx.signs.loss_converged import loss_converged
from traindx.signs.loss_diverges import loss_diverges
from traindx.signs.loss_falls import loss_falls
from traindx.signs.loss_falls_slowly import loss_falls_slowly
from traindx.signs.loss_flat_from_start import loss_flat_from_start
from traindx.signs.loss_not_finite import loss_not_finite
from traindx.signs.loss_oscillates import loss_oscillates
from traindx.signs.loss_plateaus import loss_plateaus
from traindx.signs.loss_scale_collapses import loss_scale_collapses
from traindx.signs.loss_starts_above_chance import loss_starts_above_chance
from traindx.signs.memory_grows import memory_grows
from traindx.signs.noise_swamps_progress import noise_swamps_progress
from traindx.signs.rate_decayed_early import rate_decayed_early
from traindx.signs.reward_flat import reward_flat
from traindx.signs.spikes_recur import spikes_recur
from traindx.signs.steps_overflow import steps_overflow
from traindx.signs.validation_improves import validation_improves
from traindx.signs.validation_metric_declines import validation_metric_declines
from traindx.signs.validation_never_improves import validation_never_improves
from traindx.signs.validation_noisy import validation_noisy
from traindx.signs.validation_turns_up import validation_turns_up

HEALTHY_PRIOR = 0.0

HEALTHY_CLUES = (
    Clue(loss_falls, seen=+2.0, unseen=-1.5),
    Clue(validation_improves, seen=+1.5, unseen=-0.3),
    Clue(loss_converged, seen=+0.5),
    Clue(loss_not_finite, seen=-6.0),
    Clue(gradient_not_finite, seen=-2.5),
    Clue(loss_diverges, seen=-4.5),
    Clue(loss_flat_from_start, seen=-3.5, group="flat"),
    Clue(loss_at_chance, seen=-3.0, group="chance"),
    Clue(accuracy_at_chance, seen=-3.0, group="chance"),
    Clue(reward_flat, seen=-4.0, group="flat"),
    Clue(validation_turns_up, seen=-4.0, group="validation"),
    Clue(validation_never_improves, seen=-3.0, group="validation"),
    Clue(validation_metric_declines, seen=-1.0),
    Clue(validation_noisy, seen=-0.4),
    Clue(noise_swamps_progress, seen=-0.7),
    Clue(loss_starts_above_chance, seen=-2.5),
    Clue(gradient_spikes_before_loss, seen=-1.0),
    Clue(both_losses_high, seen=-2.5),
    Clue(loss_oscillates, seen=-3.0, group="unrest"),
    Clue(spikes_recur, seen=-3.8, group="unrest"),
    Clue(loss_falls_slowly, seen=-3.0),
    Clue(loss_plateaus, seen=-0.3),
    Clue(gradient_norm_grows, seen=-1.5),
    Clue(gradient_norm_vanishes, seen=-1.5),
    Clue(rate_decayed_early, seen=-2.5),
    Clue(loss_scale_collapses, seen=-2.0, group="overflow"),
    Clue(steps_overflow, seen=-2.0, group="overflow"),
    Clue(data_wait_dominates, seen=-2.5),
    Clue(memory_grows, seen=-4.5),
)
