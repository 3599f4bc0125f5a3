"""What people call the numbers that logs hold: losses and metrics, rates, norms, times, memory, rewards.

A table's line holds a part, such as a metric's canonical name, and the phrases for it; lines without a colon
go on with the part before.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from traindx import quantities as q
from traindx.run import Quantity, Split

Family = Mapping[Split, Quantity]
"""The same quantity on each part of the data."""

DECISIVE, SPECIFIC, GENERIC, WEAK = 2, 1, 0, -1
"""Ranks of heads, from `loss` over `dice` and `score` to `time`."""


@dataclass(frozen=True)
class Head:
    """What a phrase makes of the name it stands in."""

    measures: Family | Quantity
    part: str = ""
    """The metric's own name, where the quantity alone does not tell it."""
    rank: int = DECISIVE
    """A head of higher rank decides over its neighbors; of equal ones the last decides."""
    neighbors: frozenset[str] | None = None
    """The only telling words that may stand beside it; None where any may."""


Phrase = tuple[str, ...]


def _phrases_in(table: str) -> Iterator[tuple[str, Phrase]]:
    """The part and the words of every phrase in a table of lines "part: phrase; phrase"."""
    part = ""
    for line in table.strip().splitlines():
        statement, colon, forms = line.rpartition(":")
        part = statement.strip() if colon else part
        for form in forms.split(";"):
            if form.strip():
                yield part, tuple(form.split())


def _family(measure: str) -> Family:
    return {split: q.QUANTITIES[f"{split.value}_{measure}"] for split in Split}


LOSS, ACCURACY, PERPLEXITY = _family("loss"), _family("accuracy"), _family("perplexity")
SCORE, ERROR = _family("score"), _family("error")

_LOSSES = """
: loss; losses
nll: nll; neg log likelihood; negative log likelihood
cross_entropy: cross entropy; crossentropy; xent; softmax cross entropy
binary_cross_entropy: binary crossentropy; binary cross entropy; bce
categorical_cross_entropy: categorical crossentropy; sparse categorical crossentropy
logloss: logloss; mlogloss; multi logloss
binary_logloss: binary logloss
hinge: hinge
kl_divergence: kullback leibler divergence
neg_elbo: neg elbo; nelbo; negative elbo; negelbo
bpb: bpb; bits per byte; bits byte
bpc: bpc; bits per char; bits per character; bits char
bpd: bpd; bits per dim; bits per dimension; bits dim
d: err d; errd
g: err g; errg
"""


_SCORES = """
f1: f1; f1 score; f1score; f1 measure; f score; fscore; f measure; fmeasure; fbeta; fbeta score
f1_ents: ents f
precision_ents: ents p
recall_ents: ents r
f1_sents: sents f
precision_sents: sents p
recall_sents: sents r
uas: uas; dep uas
las: las; dep las
precision: precision; prec; ppv
recall: recall; sensitivity; tpr; true positive rate
specificity: specificity; tnr
auc: auc; auroc; roc auc; rocauc; roc auc score; auc roc; aucroc; area under roc
pr_auc: pr auc; prauc; auprc; aucpr; auc pr; auc precision recall
map: mean average precision; mean ap; meanap
map50: map50
map75: map75
map50_95: map50_95; map5095
ap50: ap50
ap75: ap75
ap50_95: ap50_95
ap_small: aps
ap_medium: apm
ap_large: apl
ap: ap; average precision; average precision score; avg precision
ar: average recall; mar
bleu: bleu; bleu score
sacrebleu: sacrebleu; sacre bleu
chrf: chrf
meteor: meteor
cider: cider
spice: spice
comet: comet
bertscore: bertscore; bert score
rouge1: rouge1; rouge 1
rouge2: rouge2; rouge 2
rougel: rougel; rouge l
rougelsum: rougelsum; rouge lsum; rouge l sum
dice: dice; dice score; dice coef; dice coefficient; dsc; mean dice; mdice; pseudo dice
iou: iou; iou score; jaccard; jaccard index; jaccard score; intersection over union
miou: miou; mean iou; mean io u
psnr: psnr
ssim: ssim; structural similarity
ms_ssim: ms ssim; msssim
snr: snr
si_sdr: si sdr; sisdr; si snr; sisnr
sdr: sdr
pesq: pesq
stoi: stoi
r2: r2; r2 score; r squared; r2score; coefficient of determination
pearson: pearson; pearsonr; pearson r; pearson corr; pearson correlation; pcc; plcc
spearman: spearman; spearmanr; spearman r; spearman corr; spearman correlation; srcc; srocc
kendall: kendall; kendalltau; kendall tau
corr: corr; correlation; corrcoef; correlation coefficient
mcc: mcc; matthews correlation; matthews corrcoef; matthews correlation coefficient; phi coefficient
kappa: kappa; cohen kappa; cohens kappa; cohen kappa score; qwk; quadratic weighted kappa
ndcg: ndcg
mrr: mrr; mean reciprocal rank; reciprocal rank
hit: hit; hits; hit rate; hitrate
exact_match: exact match; exactmatch; squad em
pass: pass rate; passrate; pass at
win_rate: win rate; winrate
success_rate: success rate; success; is success; solve rate
inception_score: inception score
elbo: elbo
log_likelihood: log likelihood; loglik; loglikelihood
"""

_ERRORS = """
uer: uer
wer: wer; word error rate
cer: cer; character error rate; char error rate
ter: ter; translation edit rate
eer: eer; equal error rate
mae: mae; mean absolute error; mean abs error; l1 error; abs error; absolute error
mse: mse; mean squared error; mean square error; l2 error; squared error
rmse: rmse; root mean squared error; root mean square error
mape: mape; mean absolute percentage error
smape: smape
msle: msle; mean squared logarithmic error
rmsle: rmsle
max_error: max error
median_absolute_error: median absolute error; medae
log_cosh: logcosh
abs_rel: abs rel; absrel
sq_rel: sq rel; sqrel
silog: silog
epe: epe; end point error; endpoint error
mpjpe: mpjpe
pa_mpjpe: pa mpjpe; pampjpe
nme: nme
fid: fid; fid50k; fid score; frechet inception distance
kid: kid
lpips: lpips
edit_distance: edit distance; levenshtein; levenshtein distance
hausdorff: hausdorff; hausdorff distance; hd95
chamfer: chamfer; chamfer distance
ece: ece; expected calibration error
brier: brier; brier score
error: merror
"""


# Other words beside these tell which one: `lr/pg0`, `actor_grad_norm`, `rewards/chosen`.
_QUALIFIED: dict[Quantity, str] = {
    q.REWARD: ": reward; rewards; rew; return; returns; ep ret; ep rew; eprew; eprewmean; epret",
    q.EPISODE_LENGTH: """: episode length; episode len; episode lengths; ep len; ep length; eplen; eplenmean
        episodic length; length episode""",
    q.LEARNING_RATE: ": lr; lrs; learning rate; lrate; learningrate; learning rates",
    q.MOMENTUM: ": momentum",
    q.WEIGHT_DECAY: ": weight decay; wd",
    q.GRADIENT_NORM: """: grad norm; gnorm; gradient norm; gradnorm; grad norms; gradients norm; grads norm
        norm grad; norm gradient; grad l2 norm; gradient l2 norm; grad norm l2; l2 norm grad; l2 grad norm
        grad 2.0 norm; grad 2 norm; grad l2; grad global norm; gradient global norm; grad total norm
        grad gnorm; grdn; gradients default optimizer global norm
        inf: grad inf norm; grad norm inf""",
    q.WEIGHT_NORM: """: weight norm; weights norm; param norm; params norm; parameter norm; parameters norm
        l2 norm param; l2 norm params; weight l2 norm; param l2 norm""",
    q.CLIPPED_SHARE: """: clipping rate; grad clip fraction; grad clip rate; grad clipped
        gradient clipping rate""",
}

# These words often stand for something else, so they count only where no other telling word is beside them.
_ALONE: dict[Quantity, str] = {
    q.CLIPPED_SHARE: ": clip",
    q.LOSS_SCALE: """: loss scale; loss scaler; amp scale; grad scale; lossscale; loss scaling
        grad scaler scale""",
    q.SKIPPED_STEPS: """: number of skipped iterations; skipped iterations; skipped steps; skipped iters
        num skipped; num skipped steps; skipped iter; step skipped; skipped step""",
    q.NONFINITE_STEPS: """: number of nan iterations; nan iterations; nan iters; nan steps
        non finite steps; nonfinite steps""",
    q.STEP_TIME: """: time; dt; iter time; step time; batch time; iteration time; time per step; time per iter
        time per iteration; time per batch; elapsed time per iteration; sec per step; sec per iter
        sec per iteration; seconds per step; seconds per iteration; ms per step; ms per iter; s it; s iter
        sec it; sec iter; ms step; ms it; ms iter; step ms; update time; time per update; sec step; s step
        updt s; batch cost; s batch; ms batch; sec batch""",
    q.WALL_TIME: """: runtime; wall; wall time; walltime; wall clock; wallclock; wall clock time
        wall clock total; elapsed; elapsed time; time elapsed; time total s; total time; time since start
        relative time; elapsed seconds""",
    q.DATA_TIME: """: data; data time; data loading time; data load time; dataloader time; data loading
        time data; data wait; data wait time; time data loading; dataloading time; loader time; load time
        reader cost
        rank: rank data time""",
    q.BATCH_SIZE: ": batch size; global batch size; bsz; effective batch size; bs",
}

# And these only with certain telling words beside them.
_LIMITED: tuple[tuple[Family | Quantity, str, str], ...] = (
    *((quantity, table, "") for quantity, table in _ALONE.items()),
    (
        q.UTILIZATION,
        """mfu: mfu; mfu percent; model flops utilization
        hfu: hfu; hfu percent
        tflops: tflops; tflop per sec; tflop per sec gpu; tflops per gpu; throughput per gpu
        flops: flops per sec; flops per second
        gpu: gpu util; gpu utilization; gpu utilisation; gpu usage; gpu util percent
        gpu utilization percent""",
        "gpu",
    ),
    (
        q.MEMORY,
        ": memory; mem; gpumem; vram\nallocated: cuda gb allocated\nreserved: cuda gb reserved\nrss: rss",
        """gpu gpus cuda cpu host ram device system worker max maximum peak min current active
        allocated alloc reserved cached used usage process virtual percent 0 1 2 3 4 5 6 7""",
    ),
    (q.THROUGHPUT, ": throughput", "gpu device"),
    (q.ENTROPY, ": entropy", "policy objective action actions token tokens output prediction predictions"),
    (q.KL_DIVERGENCE, ": kl; approxkl; kl divergence", "approx old policy objective ref reference"),
    (LOSS, ": cost; objective; criterion", ""),
    (SCORE, "exact_match: em\nhellaswag: hella; hellaswag", ""),
    (ERROR, "l1: l1\nl2: l2", "0 1 2 3"),
    (
        SCORE,
        "map: map",
        "bbox box boxes segm seg mask det detection instance s m l small medium large 1 3 5 10 100",
    ),
)

_UNITS = {
    "samples": "samples sample examples example instances sequences seqs seq",
    "images": "images image imgs img",
    "tokens": "tokens token tok toks",
    "words": "words",
    "frames": "frames frame",
    "steps": "steps step iters iter iterations it its itr batches batch",
    "updates": "updates",
}


def _rates() -> Iterator[tuple[str, Phrase]]:
    for unit, words in _UNITS.items():
        for word in words.split():
            for second in ("second", "sec", "s"):
                yield unit, (word, "per", second)
            if unit != "steps":
                yield unit, (word, "sec")
    yield from _phrases_in("tokens: tps; tgs\nwords: wps\nupdates: ups\nframes: fps; sps\nsamples: ips")


def _heads() -> dict[Phrase, Head]:
    """All tables together; where two share a phrase, the later one counts."""
    ranked: tuple[tuple[Family | Quantity, str, int], ...] = (
        *((quantity, table, DECISIVE) for quantity, table in _QUALIFIED.items()),
        (ERROR, "error: error; err; error rate; err rate; error rates; misclassification", GENERIC),
        (SCORE, "score: score; scores", GENERIC),
        (SCORE, _SCORES, SPECIFIC),
        (ERROR, _ERRORS, SPECIFIC),
        # Never a term of a loss, even in a folder of that name: `losses/explained_variance`.
        (SCORE, "explained_variance: explained variance; explained var; expl var", DECISIVE),
        (LOSS, _LOSSES, DECISIVE),
        (ACCURACY, ": acc; accuracy; accuracies; accu", DECISIVE),
        (PERPLEXITY, ": ppl; perplexity; pplx; perplexities", DECISIVE),
    )
    heads = {phrase: Head(q.THROUGHPUT, unit) for unit, phrase in _rates()}
    for measures, table, rank in ranked:
        heads.update({phrase: Head(measures, part, rank) for part, phrase in _phrases_in(table)})
    for measures, table, words in _LIMITED:
        neighbors = frozenset(words.split())
        heads.update({phrase: Head(measures, part, WEAK, neighbors) for part, phrase in _phrases_in(table)})
    top_k = {"top1": "", **{f"top{k}": f"top{k}" for k in (2, 3, 5, 10, "k")}}
    heads.update({(word,): Head(ACCURACY, part, WEAK) for word, part in top_k.items()})
    return heads


HEADS = _heads()
"""What each known phrase stands for."""
