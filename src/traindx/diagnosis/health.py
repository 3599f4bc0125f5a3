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

HEALTHY_PRIOR = +0.01

HEALTHY_CLUES = (
    Clue(loss_falls, seen=+1.08, unseen=-0.62),
    Clue(validation_improves, seen=+0.83, unseen=-0.42),
    Clue(loss_converged, seen=+1.12),
    Clue(loss_not_finite, seen=-5.73),
    Clue(gradient_not_finite, seen=-2.50),
    Clue(loss_diverges, seen=-4.12),
    Clue(loss_flat_from_start, seen=-2.75, group="flat"),
    Clue(loss_at_chance, seen=-3.22, group="chance"),
    Clue(accuracy_at_chance, seen=-3.00, group="chance"),
    Clue(nothing_learned, seen=-2.90, group="chance"),
    Clue(reward_flat, seen=-4.07, group="flat"),
    Clue(validation_turns_up, seen=-1.28, group="validation"),
    Clue(validation_never_improves, seen=-1.28, group="validation"),
    Clue(validation_metric_declines, seen=-0.78),
    Clue(validation_noisy, seen=-0.58),
    Clue(noise_swamps_progress, seen=-0.05),
    Clue(loss_starts_above_chance, seen=-2.77),
    Clue(gradient_spikes_before_loss, seen=-0.95),
    Clue(both_losses_high, seen=-0.89),
    Clue(loss_oscillates, seen=-1.55, group="unrest"),
    Clue(spikes_recur, seen=-0.75, group="unrest"),
    Clue(loss_falls_slowly, seen=-3.40),
    Clue(loss_plateaus, seen=-0.11),
    Clue(gradient_norm_grows, seen=-1.38),
    Clue(gradient_norm_vanishes, seen=-1.50),
    Clue(rate_decayed_early, seen=-2.03),
    Clue(loss_scale_collapses, seen=-2.00, group="overflow"),
    Clue(steps_overflow, seen=-2.00, group="overflow"),
    Clue(data_wait_dominates, seen=-3.15),
    Clue(memory_grows, seen=-4.00),
    Clue(squashed_twice, seen=-1.34, group="fault"),
    Clue(softmax_over_one, seen=-4.00, group="fault"),
    Clue(output_bounded_target_not, seen=-3.01, group="fault"),
    Clue(output_rectified, seen=-2.50, group="fault"),
    Clue(raw_scores_for_probabilities, seen=-2.89, group="fault"),
    Clue(sigmoid_with_categorical, seen=-2.00, group="fault"),
    Clue(shapes_broadcast, seen=-4.00, group="fault"),
    Clue(gradients_carried_over, seen=-0.41, group="fault"),
    Clue(optimizer_holds_strangers, seen=-3.50, group="fault"),
    Clue(loss_negated, seen=-4.00, group="fault"),
    Clue(loss_falls_without_floor, seen=-2.88, group="fault"),
    Clue(labels_faulty, seen=-2.88, group="fault"),
    Clue(trained_in_eval_mode, seen=-1.72, group="fault"),
    Clue(validated_in_train_mode, seen=-2.04, group="fault"),
    Clue(running_averages_lag, seen=-1.48),
    Clue(validation_rows_seen, seen=-1.55, group="fault"),
    Clue(one_class_only, seen=-3.04, group="fault"),
    Clue(targets_constant, seen=-3.01, group="fault"),
    Clue(accuracy_of_a_regression, seen=-3.01, group="fault"),
    Clue(argmax_of_one, seen=-3.00, group="fault"),
    Clue(all_pairs_compared, seen=-2.65, group="fault"),
    Clue(dropout_at_output, seen=-1.85, group="fault"),
    Clue(dropout_in_validation, seen=-1.75, group="fault"),
    Clue(values_read_singly, seen=-2.36, group="fault"),
    Clue(inputs_not_finite, seen=-4.00, group="fault"),
    Clue(targets_not_finite, seen=-4.00, group="fault"),
    Clue(weights_start_equal, seen=-2.52, group="fault"),
    Clue(dead_units_many, seen=-0.89, group="inside"),
    Clue(units_saturate, seen=-1.25, group="inside"),
    Clue(gradient_fades_over_depth, seen=-1.40, group="inside"),
    Clue(attention_scores_grow, seen=-1.20, group="inside"),
    Clue(one_class_predicted, seen=-1.88, group="one answer"),
    Clue(predictions_constant, seen=-1.69, group="one answer"),
    Clue(rare_class_ignored, seen=-2.01, group="one answer"),
    Clue(rare_classes_missed, seen=-1.45, group="one answer"),
    Clue(gradient_never_arrives, seen=-2.23, group="fault"),
    Clue(updates_tiny, seen=-2.80),
    Clue(held_as_drawn, seen=-1.66),
    Clue(rate_below_usual, seen=-0.97),
    Clue(rate_above_usual, seen=-0.45),
    Clue(few_steps_in_all, seen=-1.23),
    Clue(sigmoids_stacked, seen=-2.15),
    Clue(training_inputs_wider, seen=-0.98),
    Clue(activations_fade_over_depth, seen=-0.27),
    Clue(activations_swell_over_depth, seen=-0.51),
    Clue(batches_sorted, seen=-0.66),
    Clue(classes_unbalanced, seen=-0.52),
    Clue(confidently_wrong, seen=-1.37),
    Clue(data_tiny, seen=-1.23),
    Clue(dead_units_from_start, seen=-0.49),
    Clue(decay_strong, seen=-0.42),
    Clue(dropout_extreme, seen=-0.48),
    Clue(few_updates_per_epoch, seen=-0.33),
    Clue(gradient_is_zero, seen=-2.00),
    Clue(gradient_starts_huge, seen=-0.50),
    Clue(gradient_swells_over_depth, seen=-0.30),
    Clue(input_outliers_seen, seen=-0.66),
    Clue(leaps_on_small_steps, seen=-0.58),
    Clue(loss_leaps_above_start, seen=-0.05),
    Clue(momentum_extreme, seen=-1.10),
    Clue(most_steps_clipped, seen=-0.09),
    Clue(nonlinearity_missing, seen=-0.92),
    Clue(optimizer_ill_fitting, seen=-0.93),
    Clue(parameters_frozen, seen=-0.31),
    Clue(parameters_unoptimized, seen=-1.45),
    Clue(rate_rise_hurts, seen=-0.48),
    Clue(saturated_from_start, seen=-0.53),
    Clue(starts_far_above_chance, seen=-0.97),
    Clue(units_die, seen=-0.57),
    Clue(updates_large, seen=-0.15),
    Clue(validation_at_chance, seen=-1.52),
    Clue(validation_gap_wide, seen=-0.56),
    Clue(validation_inputs_differ, seen=-1.09),
    Clue(validation_starts_lost, seen=-0.92),
    Clue(weights_start_far_off, seen=-1.55),
    Clue(weights_start_tiny, seen=-1.48),
    Clue(yes_no_loss_on_exclusive_classes, seen=-0.50),
    Clue(loss_still_falling, seen=-0.42),
    Clue(batch_tiny, seen=-0.29),
    Clue(little_learned, seen=-2.26),
    Clue(validation_learns_nothing, seen=-3.06, group="validation"),
    Clue(classes_fed_to_number_loss, seen=-2.52, group="fault"),
    Clue(worse_than_constant, seen=-0.65, group="chance"),
    Clue(few_passes, seen=-2.79),
    Clue(gradients_oscillate, seen=-0.27),
    Clue(inputs_unscaled, seen=-1.19),
    Clue(decay_coupled, seen=-0.88),
    Clue(weights_shrink, seen=-0.91),
    Clue(accumulation_undivided, seen=-0.42),
    Clue(targets_unscaled, seen=-0.99),
)
