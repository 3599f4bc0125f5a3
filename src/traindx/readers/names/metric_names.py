"""What people call losses and metrics: numbers that are measured on some part of the data.

A table's line holds the metric's canonical name and the phrases for it.
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
    """A head of higher rank decides over its neighbours; of equal ones the last decides."""
    company: frozenset[str] | None = None
    """The only telling words that may stand beside it; None where any may."""


Phrase = tuple[str, ...]


def phrases_in(table: str) -> Iterator[tuple[str, Phrase]]:
    """The part and the words of every phrase in a table of lines "part: phrase; phrase"."""
    part = ""
    for line in table.strip().splitlines():
        told, colon, forms = line.rpartition(":")
        part = told.strip() if colon else part
        for form in forms.split(";"):
            if form.strip():
                yield part, tuple(form.split())


def _family(train: Quantity, validation: Quantity, test: Quantity) -> Family:
    return {Split.TRAIN: train, Split.VALIDATION: validation, Split.TEST: test}


LOSS = _family(q.TRAIN_LOSS, q.VAL_LOSS, q.TEST_LOSS)
ACCURACY = _family(q.TRAIN_ACCURACY, q.VAL_ACCURACY, q.TEST_ACCURACY)
PERPLEXITY = _family(q.TRAIN_PERPLEXITY, q.VAL_PERPLEXITY, q.TEST_PERPLEXITY)
SCORE = _family(q.TRAIN_SCORE, q.VAL_SCORE, q.TEST_SCORE)
ERROR = _family(q.TRAIN_ERROR, q.VAL_ERROR, q.TEST_ERROR)

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

_ACCURACIES = ": acc; accuracy; accuracies; accu"
_PERPLEXITIES = ": ppl; perplexity; pplx; perplexities"

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

_GENERIC_SCORES = "score: score; scores"
_GENERIC_ERRORS = "error: error; err; error rate; err rate; error rates; misclassification"

# Never a term of a loss, even in a folder of that name: `losses/explained_variance`.
_NEVER_A_LOSS = "explained_variance: explained variance; explained var; expl var"

# These words often stand for something else, so they count only with certain telling words beside them.
_LIMITED: tuple[tuple[Family, str, str], ...] = (
    (LOSS, ": cost; objective; criterion", ""),
    (SCORE, "exact_match: em", ""),
    (ERROR, "l1: l1\nl2: l2", "0 1 2 3"),
    (
        SCORE,
        "map: map",
        "bbox box boxes segm seg mask det detection instance s m l small medium large 1 3 5 10 100",
    ),
)


def _heads() -> dict[Phrase, Head]:
    ranked: tuple[tuple[Family, str, int], ...] = (
        (ERROR, _GENERIC_ERRORS, GENERIC),
        (SCORE, _GENERIC_SCORES, GENERIC),
        (SCORE, _SCORES, SPECIFIC),
        (ERROR, _ERRORS, SPECIFIC),
        (SCORE, _NEVER_A_LOSS, DECISIVE),
        (LOSS, _LOSSES, DECISIVE),
        (ACCURACY, _ACCURACIES, DECISIVE),
        (PERPLEXITY, _PERPLEXITIES, DECISIVE),
    )
    heads: dict[Phrase, Head] = {}
    for family, table, rank in ranked:
        heads.update({phrase: Head(family, part, rank) for part, phrase in phrases_in(table)})
    for family, table, company in _LIMITED:
        heads.update(
            {
                phrase: Head(family, part, WEAK, frozenset(company.split()))
                for part, phrase in phrases_in(table)
            }
        )
    top_k = {"top1": "", **{f"top{k}": f"top{k}" for k in (2, 3, 5, 10, "k")}}
    heads.update({(word,): Head(ACCURACY, part, WEAK) for word, part in top_k.items()})
    return heads


METRIC_HEADS = _heads()
"""What each phrase for a loss or a metric stands for."""
