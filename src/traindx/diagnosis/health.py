"""Health as a hypothesis of its own: what speaks for it and what against it.

Its score is what every cause competes with, so that healthy is an answer and not the absence of one.
"""

from traindx.cause import Clue
from traindx.signs.accumulation_undivided import accumulation_undivided
from traindx.signs.accuracy_at_chance import accuracy_at_chance
from traindx.signs.accuracy_of_a_regression import accuracy_of_a_regression
from traindx.signs.activations_fade_over_depth import activations_fade_over_depth
from traindx.signs.activations_swell_over_depth import activations_swell_over_depth
from traindx.signs.all_pairs_compared import all_pairs_compared
from traindx.signs.argmax_of_one import argmax_of_one
from traindx.signs.attention_scores_grow import attention_scores_grow
from traindx.signs.batch_tiny import batch_tiny
from traindx.signs.batches_sorted import batches_sorted
from traindx.signs.both_losses_high import both_losses_high
from traindx.signs.classes_fed_to_number_loss import classes_fed_to_number_loss
from traindx.signs.classes_unbalanced import classes_unbalanced
from traindx.signs.confidently_wrong import confidently_wrong
from traindx.signs.data_tiny import data_tiny
from traindx.signs.data_wait_dominates import data_wait_dominates
from traindx.signs.dead_units_from_start import dead_units_from_start
from traindx.signs.dead_units_many import dead_units_many
from traindx.signs.decay_coupled import decay_coupled
from traindx.signs.decay_strong import decay_strong
from traindx.signs.dropout_at_output import dropout_at_output
from traindx.signs.dropout_extreme import dropout_extreme
from traindx.signs.dropout_in_validation import dropout_in_validation
from traindx.signs.few_passes import few_passes
from traindx.signs.few_steps_in_all import few_steps_in_all
from traindx.signs.few_updates_per_epoch import few_updates_per_epoch
from traindx.signs.gradient_fades_over_depth import gradient_fades_over_depth
from traindx.signs.gradient_is_zero import gradient_is_zero
from traindx.signs.gradient_never_arrives import gradient_never_arrives
from traindx.signs.gradient_norm_grows import gradient_norm_grows
from traindx.signs.gradient_norm_vanishes import gradient_norm_vanishes
from traindx.signs.gradient_not_finite import gradient_not_finite
from traindx.signs.gradient_spikes_before_loss import gradient_spikes_before_loss
from traindx.signs.gradient_starts_huge import gradient_starts_huge
from traindx.signs.gradient_swells_over_depth import gradient_swells_over_depth
from traindx.signs.gradients_carried_over import gradients_carried_over
from traindx.signs.gradients_oscillate import gradients_oscillate
from traindx.signs.held_as_drawn import held_as_drawn
from traindx.signs.input_outliers_seen import input_outliers_seen
from traindx.signs.inputs_not_finite import inputs_not_finite
from traindx.signs.inputs_unscaled import inputs_unscaled
from traindx.signs.labels_faulty import labels_faulty
from traindx.signs.leaps_on_small_steps import leaps_on_small_steps
from traindx.signs.little_learned import little_learned
from traindx.signs.loss_at_chance import loss_at_chance
from traindx.signs.loss_converged import loss_converged
from traindx.signs.loss_diverges import loss_diverges
from traindx.signs.loss_falls import loss_falls
from traindx.signs.loss_falls_slowly import loss_falls_slowly
from traindx.signs.loss_falls_without_floor import loss_falls_without_floor
from traindx.signs.loss_flat_from_start import loss_flat_from_start
from traindx.signs.loss_leaps_above_start import loss_leaps_above_start
from traindx.signs.loss_negated import loss_negated
from traindx.signs.loss_not_finite import loss_not_finite
from traindx.signs.loss_oscillates import loss_oscillates
from traindx.signs.loss_plateaus import loss_plateaus
from traindx.signs.loss_scale_collapses import loss_scale_collapses
from traindx.signs.loss_starts_above_chance import loss_starts_above_chance
from traindx.signs.loss_still_falling import loss_still_falling
from traindx.signs.memory_grows import memory_grows
from traindx.signs.momentum_extreme import momentum_extreme
from traindx.signs.most_steps_clipped import most_steps_clipped
from traindx.signs.noise_swamps_progress import noise_swamps_progress
from traindx.signs.nonlinearity_missing import nonlinearity_missing
from traindx.signs.nothing_learned import nothing_learned
from traindx.signs.one_class_only import one_class_only
from traindx.signs.one_class_predicted import one_class_predicted
from traindx.signs.optimizer_holds_strangers import optimizer_holds_strangers
from traindx.signs.optimizer_ill_fitting import optimizer_ill_fitting
from traindx.signs.output_bounded_target_not import output_bounded_target_not
from traindx.signs.output_rectified import output_rectified
from traindx.signs.parameters_frozen import parameters_frozen
from traindx.signs.parameters_unoptimized import parameters_unoptimized
from traindx.signs.predictions_constant import predictions_constant
from traindx.signs.rare_class_ignored import rare_class_ignored
from traindx.signs.rare_classes_missed import rare_classes_missed
from traindx.signs.rate_above_usual import rate_above_usual
from traindx.signs.rate_below_usual import rate_below_usual
from traindx.signs.rate_decayed_early import rate_decayed_early
from traindx.signs.rate_rise_hurts import rate_rise_hurts
from traindx.signs.raw_scores_for_probabilities import raw_scores_for_probabilities
from traindx.signs.reward_flat import reward_flat
from traindx.signs.running_averages_lag import running_averages_lag
from traindx.signs.saturated_from_start import saturated_from_start
from traindx.signs.shapes_broadcast import shapes_broadcast
from traindx.signs.sigmoid_with_categorical import sigmoid_with_categorical
from traindx.signs.sigmoids_stacked import sigmoids_stacked
from traindx.signs.softmax_over_one import softmax_over_one
from traindx.signs.spikes_recur import spikes_recur
from traindx.signs.squashed_twice import squashed_twice
from traindx.signs.starts_far_above_chance import starts_far_above_chance
from traindx.signs.steps_overflow import steps_overflow
from traindx.signs.targets_constant import targets_constant
from traindx.signs.targets_not_finite import targets_not_finite
from traindx.signs.targets_unscaled import targets_unscaled
from traindx.signs.trained_in_eval_mode import trained_in_eval_mode
from traindx.signs.training_inputs_wider import training_inputs_wider
from traindx.signs.units_die import units_die
from traindx.signs.units_saturate import units_saturate
from traindx.signs.updates_large import updates_large
from traindx.signs.updates_tiny import updates_tiny
from traindx.signs.validated_in_train_mode import validated_in_train_mode
from traindx.signs.validation_at_chance import validation_at_chance
from traindx.signs.validation_gap_wide import validation_gap_wide
from traindx.signs.validation_improves import validation_improves
from traindx.signs.validation_inputs_differ import validation_inputs_differ
from traindx.signs.validation_learns_nothing import validation_learns_nothing
from traindx.signs.validation_metric_declines import validation_metric_declines
from traindx.signs.validation_never_improves import validation_never_improves
from traindx.signs.validation_noisy import validation_noisy
from traindx.signs.validation_rows_seen import validation_rows_seen
from traindx.signs.validation_starts_lost import validation_starts_lost
from traindx.signs.validation_turns_up import validation_turns_up
from traindx.signs.values_read_singly import values_read_singly
from traindx.signs.weights_shrink import weights_shrink
from traindx.signs.weights_start_equal import weights_start_equal
from traindx.signs.weights_start_far_off import weights_start_far_off
from traindx.signs.weights_start_tiny import weights_start_tiny
from traindx.signs.worse_than_constant import worse_than_constant
from traindx.signs.yes_no_loss_on_exclusive_classes import yes_no_loss_on_exclusive_classes

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
    Clue(nothing_learned, seen=-3.5, group="chance"),
    Clue(reward_flat, seen=-4.0, group="flat"),
    Clue(validation_turns_up, seen=-4.0, group="validation"),
    Clue(validation_never_improves, seen=-3.0, group="validation"),
    Clue(validation_metric_declines, seen=-1.0),
    Clue(validation_noisy, seen=-0.4),
    Clue(noise_swamps_progress, seen=-0.7),
    Clue(loss_starts_above_chance, seen=-2.5),
    Clue(gradient_spikes_before_loss, seen=-1.0),
    Clue(both_losses_high, seen=-1.5),
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
    Clue(squashed_twice, seen=-3.0, group="fault"),
    Clue(softmax_over_one, seen=-4.0, group="fault"),
    Clue(output_bounded_target_not, seen=-3.0, group="fault"),
    Clue(output_rectified, seen=-2.5, group="fault"),
    Clue(raw_scores_for_probabilities, seen=-3.5, group="fault"),
    Clue(sigmoid_with_categorical, seen=-2.0, group="fault"),
    Clue(shapes_broadcast, seen=-4.0, group="fault"),
    Clue(gradients_carried_over, seen=-3.0, group="fault"),
    Clue(optimizer_holds_strangers, seen=-3.5, group="fault"),
    Clue(loss_negated, seen=-4.0, group="fault"),
    Clue(loss_falls_without_floor, seen=-3.0, group="fault"),
    Clue(labels_faulty, seen=-3.0, group="fault"),
    Clue(trained_in_eval_mode, seen=-2.5, group="fault"),
    Clue(validated_in_train_mode, seen=-2.5, group="fault"),
    Clue(running_averages_lag, seen=-1.5),
    Clue(validation_rows_seen, seen=-3.0, group="fault"),
    Clue(one_class_only, seen=-3.0, group="fault"),
    Clue(targets_constant, seen=-3.0, group="fault"),
    Clue(accuracy_of_a_regression, seen=-3.0, group="fault"),
    Clue(argmax_of_one, seen=-3.0, group="fault"),
    Clue(all_pairs_compared, seen=-3.0, group="fault"),
    Clue(dropout_at_output, seen=-2.5, group="fault"),
    Clue(dropout_in_validation, seen=-2.0, group="fault"),
    Clue(values_read_singly, seen=-3.0, group="fault"),
    Clue(inputs_not_finite, seen=-4.0, group="fault"),
    Clue(targets_not_finite, seen=-4.0, group="fault"),
    Clue(weights_start_equal, seen=-2.5, group="fault"),
    Clue(dead_units_many, seen=-1.0, group="inside"),
    Clue(units_saturate, seen=-2.0, group="inside"),
    Clue(gradient_fades_over_depth, seen=-1.0, group="inside"),
    Clue(attention_scores_grow, seen=-1.5, group="inside"),
    Clue(one_class_predicted, seen=-2.0, group="one answer"),
    Clue(predictions_constant, seen=-1.5, group="one answer"),
    Clue(rare_class_ignored, seen=-2.0, group="one answer"),
    Clue(rare_classes_missed, seen=-2.0, group="one answer"),
    Clue(gradient_never_arrives, seen=-3.0, group="fault"),
    Clue(updates_tiny, seen=-3.5),
    Clue(held_as_drawn, seen=-2.5),
    Clue(rate_below_usual, seen=-1.0),
    Clue(rate_above_usual, seen=-0.7),
    Clue(few_steps_in_all, seen=-1.0),
    Clue(sigmoids_stacked, seen=-2.0),
    Clue(training_inputs_wider, seen=-1.0),
    Clue(activations_fade_over_depth, seen=-0.3),
    Clue(activations_swell_over_depth, seen=-0.5),
    Clue(batches_sorted, seen=-1.0),
    Clue(classes_unbalanced, seen=-0.5),
    Clue(confidently_wrong, seen=-1.5),
    Clue(data_tiny, seen=-1.5),
    Clue(dead_units_from_start, seen=-0.5),
    Clue(decay_strong, seen=-0.5),
    Clue(dropout_extreme, seen=-0.5),
    Clue(few_updates_per_epoch, seen=-0.5),
    Clue(gradient_is_zero, seen=-2.0),
    Clue(gradient_starts_huge, seen=-0.7),
    Clue(gradient_swells_over_depth, seen=-0.3),
    Clue(input_outliers_seen, seen=-1.0),
    Clue(leaps_on_small_steps, seen=-0.7),
    Clue(loss_leaps_above_start, seen=-0.5),
    Clue(momentum_extreme, seen=-1.5),
    Clue(most_steps_clipped, seen=-0.5),
    Clue(nonlinearity_missing, seen=-1.0),
    Clue(optimizer_ill_fitting, seen=-1.0),
    Clue(parameters_frozen, seen=-0.5),
    Clue(parameters_unoptimized, seen=-1.5),
    Clue(rate_rise_hurts, seen=-0.7),
    Clue(saturated_from_start, seen=-0.7),
    Clue(starts_far_above_chance, seen=-1.0),
    Clue(units_die, seen=-0.7),
    Clue(updates_large, seen=-0.3),
    Clue(validation_at_chance, seen=-1.5),
    Clue(validation_gap_wide, seen=-0.7),
    Clue(validation_inputs_differ, seen=-1.0),
    Clue(validation_starts_lost, seen=-1.5),
    Clue(weights_start_far_off, seen=-1.5),
    Clue(weights_start_tiny, seen=-1.5),
    Clue(yes_no_loss_on_exclusive_classes, seen=-0.5),
    Clue(loss_still_falling, seen=-0.3),
    Clue(batch_tiny, seen=-1.0),
    Clue(little_learned, seen=-3.0),
    Clue(validation_learns_nothing, seen=-3.0, group="validation"),
    Clue(classes_fed_to_number_loss, seen=-2.5, group="fault"),
    Clue(worse_than_constant, seen=-4.0, group="chance"),
    Clue(few_passes, seen=-2.0),
    Clue(gradients_oscillate, seen=-0.7),
    Clue(inputs_unscaled, seen=-1.5),
    Clue(decay_coupled, seen=-1.0),
    Clue(weights_shrink, seen=-1.0),
    Clue(accumulation_undivided, seen=-1.0),
    Clue(targets_unscaled, seen=-1.0),
)
