"""`traindx examine activations`: what each layer of a model puts out, over several batches."""

import argparse

from traindx.cli.examine import add_recorded_program, add_results, add_subject

HELP = (
    "show what each layer puts out over several batches: dead units, flat ends, growing or shrinking outputs"
)
EXAMPLES = """\
  traindx examine activations --model traindx.demo.nets:odd --data traindx.demo.nets:batch
  python -m traindx.demo.nets                  write weights.pt and sample.pt, for the next examples
  traindx examine activations --checkpoint weights.pt --model traindx.demo.nets:steady --data sample.pt
  traindx examine activations --model traindx.demo.nets:odd --data sample.pt --png . --fail-on dead-relu
  traindx examine activations -- python -m traindx.demo.nets train   the first steps of a program

In a training loop: traindx.exams.activations(model, train_loader).errors"""

_ROWS = 2048
"""Samples of a file that are taken: enough to tell dead units from those that wait for their inputs."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the exam."""
    add_subject(parser, wants_data=True, has_loss=False)
    add_recorded_program(parser, "activations")
    add_results(parser, "activations", "layer_outputs.png")


def run(arguments: argparse.Namespace) -> int:
    """Examine and show; 2 where there is nothing to examine."""
    from traindx.cli._exam import results, subject_of

    subject = subject_of(arguments, _ROWS)
    # Not before the program has ended: it loads torch.
    from traindx.exams.activations_exam import activations, activations_recorded
    from traindx.report.png.layers import layer_outputs

    exam = activations_recorded(subject.run) if subject.run else activations(subject.model, subject.batch)
    return results(arguments, exam, subject.notes, subject.source, layer_outputs)
