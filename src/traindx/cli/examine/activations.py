"""`traindx examine activations`: what each layer of a model puts out, over several batches."""

import argparse

from traindx.cli._options import add_recorded_program, add_results, add_subject

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
    from traindx.cli._exam import loaded_batch, loaded_model, program_of, recorded, results

    words = program_of(arguments)
    if words:
        taken = recorded(words, arguments.max_steps, output_to_stderr="-" in (arguments.json, arguments.md))
        from traindx.exams.activations_exam import activations_recorded

        exam, source = activations_recorded(taken), ""
        notes: list[str] = []
    else:
        model, notes = loaded_model(arguments)
        batch, more = loaded_batch(arguments, model, _ROWS)
        notes += more
        from traindx.exams.activations_exam import activations

        exam, source = activations(model, batch), arguments.data
    from dataclasses import replace

    from traindx.report.png.layers import layer_outputs

    exam = replace(exam, notes=(*notes, *exam.notes))
    return results(arguments, exam, source, lambda: layer_outputs(exam))
