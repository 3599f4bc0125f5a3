"""Health as a hypothesis of its own: what speaks for it and what against it.

Its score is what every cause competes with, so that healthy is an answer and not the absence of one.
"""

from traindx.cause import Clue
from traindx.causes.attention_logit_growth import attention_scores_grow
from traindx.causes.bad_initialization import loss_starts_above_chance
from traindx.causes.batch_too_small import batch_tiny
from traindx.causes.class_imbalance import (
    classes_unbalanced,
    one_class_predicted,
    rare_class_ignored,
    rare_classes_missed,
)
from traindx.causes.data_loading_bottleneck import data_wait_dominates
from traindx.causes.degenerate_labels import one_class_only, targets_constant
from traindx.causes.dropout_misuse import dropout_at_output, dropout_in_validation
from traindx.causes.exploding_gradients import gradient_swells_over_depth
from traindx.causes.frozen_parameters import held_as_drawn
from traindx.causes.host_device_sync import values_read_singly
from traindx.causes.labels_misaligned import nothing_learned
from traindx.causes.loss_mismatch import yes_no_loss_on_exclusive_classes
from traindx.causes.loss_sign_or_reduction import loss_falls_without_floor
from traindx.causes.memory_leak import memory_grows
from traindx.causes.misleading_metric import accuracy_of_a_regression, all_pairs_compared, argmax_of_one
from traindx.causes.overfitting import validation_metric_declines
from traindx.causes.saturated_activations import saturated_from_start
from traindx.causes.too_few_epochs import few_passes
from traindx.causes.train_val_leakage import validation_rows_seen
from traindx.causes.wrong_output_activation import (
    output_bounded_target_not,
    raw_scores_for_probabilities,
    sigmoid_with_categorical,
    softmax_over_one,
)
from traindx.signs.activations import (
    activations_fade_over_depth,
    activations_swell_over_depth,
    dead_units_from_start,
    dead_units_many,
    nonlinearity_missing,
    sigmoids_stacked,
    units_die,
    units_saturate,
)
from traindx.signs.chance import (
    accuracy_at_chance,
    little_learned,
    loss_at_chance,
    predictions_constant,
    reward_flat,
    starts_far_above_chance,
    validation_at_chance,
    worse_than_constant,
)
from traindx.signs.data import (
    batches_sorted,
    data_tiny,
    input_outliers_seen,
    inputs_not_finite,
    inputs_unscaled,
    labels_faulty,
    validation_inputs_differ,
)
from traindx.signs.generalization import (
    both_losses_high,
    confidently_wrong,
    training_inputs_wider,
    validation_learns_nothing,
    validation_starts_lost,
)
from traindx.signs.gradients import (
    gradient_fades_over_depth,
    gradient_is_zero,
    gradient_never_arrives,
    gradient_norm_grows,
    gradient_norm_vanishes,
    gradient_spikes_before_loss,
    gradient_starts_huge,
    gradients_oscillate,
    most_steps_clipped,
)
from traindx.signs.loop import (
    accumulation_undivided,
    few_steps_in_all,
    few_updates_per_epoch,
    gradients_carried_over,
    trained_in_eval_mode,
    validated_in_train_mode,
)
from traindx.signs.loss import (
    loss_converged,
    loss_diverges,
    loss_falls,
    loss_falls_slowly,
    loss_flat_from_start,
    loss_leaps_above_start,
    loss_plateaus,
    loss_still_falling,
)
from traindx.signs.lr import rate_above_usual, rate_below_usual, rate_decayed_early, rate_rise_hurts
from traindx.signs.nonfinite import gradient_not_finite, loss_not_finite, loss_scale_collapses, steps_overflow
from traindx.signs.optimizer import (
    decay_coupled,
    dropout_extreme,
    momentum_extreme,
    optimizer_ill_fitting,
    running_averages_lag,
)
from traindx.signs.spikes import leaps_on_small_steps, loss_oscillates, noise_swamps_progress, spikes_recur
from traindx.signs.targets import (
    classes_fed_to_number_loss,
    loss_negated,
    output_rectified,
    shapes_broadcast,
    squashed_twice,
    targets_not_finite,
    targets_unscaled,
)
from traindx.signs.validation import (
    validation_gap_wide,
    validation_improves,
    validation_never_improves,
    validation_noisy,
    validation_turns_up,
)
from traindx.signs.weights import (
    decay_strong,
    optimizer_holds_strangers,
    parameters_frozen,
    parameters_unoptimized,
    updates_large,
    updates_tiny,
    weights_shrink,
    weights_start_equal,
    weights_start_far_off,
    weights_start_tiny,
)

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
