"""`traindx examine model`: how a model is built, what it takes up, and what stands against learning."""

import argparse

from traindx.cli._options import add_option
from traindx.cli.examine import add_results, add_subject, positive
from traindx.errors import TraindxError

HELP = "review how a model is built: order of layers, output against loss, initial weights, size, memory"
EXAMPLES = """\
  traindx examine model traindx.demo.nets:steady     its layers, weights and memory; yours: net.py:Net
  traindx examine model --model traindx.demo.nets:odd --data traindx.demo.nets:batch --loss cross_entropy
  python -m traindx.demo.nets                  write weights.pt and sample.pt, for the next examples
  traindx examine model --model traindx.demo.nets:steady --data sample.pt --samples 512
  traindx examine model --checkpoint weights.pt --model traindx.demo.nets:steady --data sample.pt --json -"""

_ROWS = 64
"""Samples of a file that are taken: memory is told for a batch of them, and for each."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the exam."""
    parser.add_argument("named", nargs="?", metavar="FILE.py:NAME", help="the model, as --model takes it")
    add_subject(parser, wants_data=False)
    add_option(parser, "--samples N", "samples in the training data", type=positive)
    add_results(parser, "model", "")


def run(arguments: argparse.Namespace) -> int:
    """Examine and show; 2 where there is nothing to examine."""
    from traindx.cli._exam import loaded_batch, loaded_model, named_loss, refuse_mistakes, results

    if arguments.named and arguments.model:
        raise TraindxError(f"{arguments.named} and --model {arguments.model} were given; examine one of them")
    arguments.model = arguments.model or arguments.named
    refuse_mistakes(arguments)
    model, notes = loaded_model(arguments)
    batch, more = loaded_batch(arguments, model, _ROWS) if arguments.data else (None, [])
    from traindx.exams.model_exam import model as examine

    trained = arguments.checkpoint is not None
    exam = examine(model, batch, named_loss(arguments), samples=arguments.samples, is_trained=trained)
    return results(arguments, exam, (*notes, *more), arguments.data or "")
