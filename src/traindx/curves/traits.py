"""What only some kinds of training have: names in a log, settings, libraries, loss functions.

Each table has the most specific kind first. A * stands for any letters; case does not matter.
"""

import re
from dataclasses import dataclass
from fnmatch import translate
from functools import cached_property

from traindx.objective import (
    CLASSIC_RL,
    CLASSIFICATION,
    CONTRASTIVE,
    CTC,
    DETECTION,
    DIFFUSION,
    FINE_TUNING,
    GAN,
    LANGUAGE_MODELING,
    NOT_A_NETWORK,
    PREFERENCE,
    REGRESSION,
    REWARD_MODEL,
    RL_POST_TRAINING,
    VAE,
    Objective,
)


@dataclass(frozen=True)
class Trait:
    """Words that only one kind of training has."""

    objective: Objective
    words: str
    least: int = 1
    """How many different words have to be there."""

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Matches any of the words."""
        return re.compile("|".join(map(translate, self.words.split())), re.IGNORECASE)


NAMES = (
    Trait(NOT_A_NETWORK, "training's* valid's* valid_?'s* train-auc* train-*logloss eval-*logloss *-merror"),
    Trait(NOT_A_NETWORK, "multiclass multiclassonevsall totalf1 normalizedgini queryrmse yetirank"),
    Trait(
        RL_POST_TRAINING,
        """*frac_reward_zero_std *group_reward_std *clip_ratio/* *completions/* *completion_length
        response_clip_ratio *mean_terminated_length objective/kl objective/scores objective/rlhf_reward
        policy/approxkl_avg policy/clipfrac_avg actor/pg_loss actor/pg_clipfrac* actor/ppo_kl actor/kl_loss
        actor/entropy* critic/score/* critic/rewards/* critic/advantages/* critic/returns/*
        response_length/* *vllm_kl *ppo_kl rollout_corr/*""",
    ),
    Trait(RL_POST_TRAINING, "*reward_std kl train/kl rewards/*/mean rewards/*/std"),
    Trait(
        PREFERENCE,
        """*rewards/chosen *rewards/rejected *rewards/margins *rewards/accuracies *logps/chosen
        *logps/rejected *rewards_chosen *rewards_rejected *log_odds_ratio *log_odds_chosen
        *chosen_reward *reject_reward""",
    ),
    Trait(REWARD_MODEL, "*min_reward *max_reward *mean_reward margin eval_margin train/margin", least=2),
    Trait(
        CLASSIC_RL,
        """*ep_rew_mean *ep_len_mean *episodic_return *episode?reward* *episode?return* eprewmean *epret
        train/ent_coef* train/explained_variance train/clip_fraction train/policy_gradient_loss
        losses/td_loss losses/q_values losses/qf*_loss losses/clipfrac rollout/exploration_rate""",
    ),
    Trait(
        GAN,
        """d(x) d(g(z))* d_real d_fake d_gan g_gan g_l1 d_a d_b g_a g_b loss_d* loss_g* d_loss* g_loss*
        *gan_loss err_?d errd* errg* loss_gan* *adv_loss *adversarial_loss gradient_penalty
        *disc_loss *gen_loss *discriminator_loss* *generator_loss* loss_dis* loss_gen*""",
        least=2,
    ),
    Trait(DIFFUSION, "mse_q? loss_q? vb_q? *diffusion_loss *loss_simple *loss_vlb"),
    Trait(VAE, "*elbo*"),
    Trait(
        VAE,
        """*kl *kld *kl_loss *kld_loss *kl_div *kl_divergence *recon *recon_loss *reconstruction_loss
        *rec_loss *recons_loss *reconstruction *commit_loss *commitment_loss *vq_loss
        *codebook_loss *kl_weight""",
        least=2,
    ),
    Trait(
        CONTRASTIVE, "*contrastive* *contrast_loss *infonce* *info_nce* *nt_xent* *koleo* *ibot* *logit_scale"
    ),
    Trait(CTC, "ctc ctc_* *_ctc *_ctc_* *ctcloss ctc/* */ctc"),
    Trait(
        DETECTION,
        """*box_loss *loss_box* *loss_bbox *loss_giou *loss_iou *loss_rpn* *loss_mask *obj_loss *dfl_loss
        *rpn_*loss* *giou_loss *iou_loss *map50* *map_50* *map_0.5* *map@0.5* bbox/ap* bbox_map* segm/ap*
        *miou *mean_iou *iou *dice *dice_score *dice_coef* *mean_dice""",
    ),
    Trait(FINE_TUNING, "mean_token_accuracy *gpt_loss"),
    Trait(FINE_TUNING, "current_steps percentage remaining_time elapsed_time", least=3),
    Trait(LANGUAGE_MODELING, "mfu *tok/s* *tokens/s* *tokens_per_s* *bpb *bits_per_byte *bpc"),
)
"""By the names of a log; bench/thresholds.md#objective."""

SETTINGS = (
    Trait(
        NOT_A_NETWORK,
        """num_leaves min_data_in_leaf feature_fraction bagging_fraction bagging_freq max_bin num_boost_round
        colsample_bytree l2_leaf_reg boosting_type min_child_weight tree_method""",
        least=2,
    ),
    Trait(
        RL_POST_TRAINING,
        "*num_generations *max_completion_length *reward_funcs *adv_estimator *init_kl_coef *rollout.n",
    ),
    Trait(PREFERENCE, "*pref_beta *pref_loss *reference_free *dpo_beta *rpo_alpha *orpo_*"),
    Trait(
        CLASSIC_RL,
        """*env_id *gae_lambda *learning_starts *ent_coef *vf_coef *target_network_frequency
        *exploration_fraction *total_timesteps""",
        least=2,
    ),
    Trait(
        DIFFUSION,
        """*num_train_timesteps *diffusion_steps *noise_schedule *beta_schedule *timestep_respacing
        *num_diffusion_timesteps *snr_gamma *noise_offset""",
    ),
    Trait(GAN, "*gan_mode *lambda_gan *lambda_gp *n_critic *netd *netg *ndf *ngf", least=2),
    Trait(VAE, "*kl_weight *kld_weight *latent_dim *codebook_size *free_bits", least=2),
    Trait(
        FINE_TUNING,
        """*finetuning_type *lora_r *lora_rank *lora_alpha *lora_dropout *lora_target* *peft_config* *use_peft
        *load_in_4bit *load_in_8bit *base_model_name_or_path *completion_only_loss *assistant_only_loss""",
    ),
    Trait(
        LANGUAGE_MODELING,
        "*vocab_size *block_size *n_ctx *bptt *tokenizer* *n_head *num_attention_heads *seq_length",
        least=2,
    ),
)
"""By the names of its settings; bench/thresholds.md#objective."""

LIBRARIES = (
    (
        RL_POST_TRAINING,
        "trl.trainer.grpo_trainer trl.trainer.rloo_trainer trl.experimental.ppo verl openrlhf vllm",
    ),
    (
        PREFERENCE,
        "trl.trainer.dpo_trainer trl.trainer.kto_trainer trl.experimental.cpo trl.experimental.orpo",
    ),
    (REWARD_MODEL, "trl.trainer.reward_trainer"),
    (CLASSIC_RL, "stable_baselines3 gymnasium gym ray.rllib"),
    (DIFFUSION, "diffusers k_diffusion torchcfm"),
    (CONTRASTIVE, "open_clip lightly sentence_transformers"),
    (CTC, "speechbrain espnet k2"),
    (DETECTION, "ultralytics mmdet detectron2"),
    (FINE_TUNING, "trl.trainer.sft_trainer axolotl llamafactory unsloth"),
)
"""By the libraries a recorded program has imported: those that train one kind of thing."""

MODELS = (
    Trait(LANGUAGE_MODELING, "*LMHeadModel *ForCausalLM *ForMaskedLM *LanguageModel *GPT NanoGPT*"),
    Trait(VAE, "*VAE VAE* *AutoencoderKL *VariationalAutoencoder"),
    Trait(DIFFUSION, "*DDPM *Diffusion UNet2DModel UNet2DConditionModel"),
    Trait(CONTRASTIVE, "*SimCLR *BYOL *MoCo *CLIP SimSiam* BarlowTwins*"),
)
"""By the class of the model that was recorded."""

LOSSES = (
    Trait(CTC, "ctc *ctc_loss *ctcloss"),
    Trait(CONTRASTIVE, "*nt_xent* *triplet_margin* *contrastive* *info_nce* *infonce*"),
    Trait(REGRESSION, "*mse *mse_loss *l1_loss *huber_loss *mae mean_squared_error mean_absolute_error"),
    Trait(CLASSIFICATION, "*cross_entropy* *crossentropy* nll_loss *categorical* *hinge* *multi_margin*"),
)
"""By the loss function that was recorded or set."""

HF_TRAINER = "the HF Trainer"

LIBRARY_LOOPS = (
    (
        HF_TRAINER,
        Trait(
            FINE_TUNING,
            "eval_runtime eval_samples_per_second eval_steps_per_second train_runtime train_steps_per_second",
        ),
    ),
    (HF_TRAINER, Trait(FINE_TUNING, "loss grad_norm learning_rate", least=3)),
    ("fastai", Trait(FINE_TUNING, "train_loss valid_loss time", least=3)),
    ("Ultralytics", Trait(DETECTION, "train/box_loss metrics/map50(b)", least=2)),
    ("Keras", Trait(CLASSIFICATION, "val_loss val_accuracy val_acc", least=2)),
    ("Lightning", Trait(CLASSIFICATION, "lr-adam lr-adamw lr-sgd *_loss_step *_loss_epoch", least=2)),
    ("detectron2", Trait(DETECTION, "eta_seconds data_time total_loss rank_data_time", least=3)),
)
"""What the loops of libraries log; they switch modes by themselves; bench/thresholds.md#objective."""

DISCRIMINATOR = re.compile(r"(?i)(^|[^a-z])(d|dis|disc|discriminator|critic)([^a-z]|$)")
ADVERSARIES = (
    DISCRIMINATOR,
    re.compile(r"(?i)(^|[^a-z])(g|gen|generator)([^a-z]|$)"),
)
"""What the losses of the two networks of a GAN are called."""

POLICY_TERMS = re.compile(
    r"(?i)(^|[^a-z])(policy|actor|critic|value|vf|pi|pg|(?<!cross_)entropy|q|qf)([^a-z]|$)"
)
"""What the terms of a policy gradient are called, whose size tells nothing."""
