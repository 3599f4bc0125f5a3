"""`traindx examine gradients`: what reaches each parameter of a model on one batch."""

import argparse

from traindx.cli._options import add_recorded_program, add_results, add_subject

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
    from traindx.cli._exam import loaded_batch, loaded_model, named_loss, program_of, recorded, results

    words = program_of(arguments)
    if words:
        taken = recorded(words, arguments.max_steps, output_to_stderr="-" in (arguments.json, arguments.md))
        from traindx.exams.gradients_exam import gradients_recorded

        exam, source = gradients_recorded(taken), ""
        notes: list[str] = []
    else:
        model, notes = loaded_model(arguments)
        batch, more = loaded_batch(arguments, model, _ROWS)
        notes += more
        from traindx.exams.gradients_exam import gradients

        exam, source = gradients(model, batch, named_loss(arguments)), arguments.data
    from dataclasses import replace

    from traindx.report.png.layers import gradient_flow

    exam = replace(exam, notes=(*notes, *exam.notes))
    return results(arguments, exam, source, lambda: gradient_flow(exam))
