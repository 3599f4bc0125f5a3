"""`traindx examine gradients`: what reaches each parameter of a model on one batch."""

import argparse

from traindx.cli.examine import add_recorded_program, add_results, add_subject

HELP = "show what gradient each parameter gets on a batch: vanishing, exploding, none, not finite"
EXAMPLES = """\
  traindx examine gradients --model traindx.demo.nets:deep --data traindx.demo.nets:batch
  python -m traindx.demo.nets                  write weights.pt and sample.pt, for the next examples
  traindx examine gradients --checkpoint weights.pt --model traindx.demo.nets:steady --data sample.pt
  traindx examine gradients --model traindx.demo.nets:deep --data sample.pt --png . --all
  traindx examine gradients --model traindx.demo.nets:deep --data sample.pt --json - --fail-on warn
  traindx examine gradients -- python -m traindx.demo.nets train   the first steps of a program

In a training loop: traindx.exams.gradients(model, (inputs, targets), loss_function).errors"""

_ROWS = 256
"""Samples of a file that are taken: a batch as trainings have them."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the exam."""
    add_subject(parser, wants_data=True)
    add_recorded_program(parser, "gradients")
    add_results(parser, "gradients", "gradient_flow.png")


def run(arguments: argparse.Namespace) -> int:
    """Examine and show; 2 where there is nothing to examine."""
    from traindx.cli._exam import named_loss, results, subject_of

    subject = subject_of(arguments, _ROWS)
    # Not before the program has ended: it loads torch.
    from traindx.exams.gradients_exam import gradients, gradients_recorded
    from traindx.report.png.layers import gradient_flow

    exam = (
        gradients_recorded(subject.run)
        if subject.run
        else gradients(subject.model, subject.batch, named_loss(arguments))
    )
    return results(arguments, exam, subject.notes, subject.source, gradient_flow)
