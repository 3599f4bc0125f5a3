"""What every exam says as data, and exams of a model."""

from dataclasses import asdict

from traindx.diagnosis.types import Exam
from traindx.exams.types import ActivationExam, GradientExam, GradientRow, ModelExam
from traindx.report.documents.value import Document, Json, head, number, optional
from traindx.report.problem_advice import advice, mark


def exam_document(exam: Exam) -> Document:
    """Which exam, what it found wrong, and what it looked for in vain."""
    return {
        "exam": exam.exam,
        "problems": [
            {
                "cause": one.cause,
                "severity": one.degree.value,
                "says": one.says,
                "layers": list(one.layers),
                "todo": advice(one),
            }
            for one in exam.problems
        ],
        "cleared": list(exam.cleared),
    }


def gradient_document(exam: GradientExam) -> Document:
    """Everything an exam of gradients found."""
    decay = exam.decay
    return {
        **_head(exam),
        "loss": optional(exam.loss),
        "loss_function": exam.loss_function,
        "norm": number(exam.norm),
        "decay": None if decay is None else {"factor": number(decay.factor), "layers": decay.layers},
        "without_gradient": list(exam.without_gradient),
        "frozen": list(exam.frozen),
        "parameters": [_gradient(row) for row in exam.rows],
    }


def _gradient(row: GradientRow) -> Json:
    spread = row.spread
    return {
        "name": row.layer.name,
        "kind": row.layer.kind,
        "shape": list(row.layer.shape),
        "state": row.state or "reached",
        "norm": optional(row.norm),
        "weight_norm": optional(row.weight),
        "ratio": optional(row.ratio),
        "values": None if spread is None else {name: number(value) for name, value in asdict(spread).items()},
    }


def activation_document(exam: ActivationExam) -> Document:
    """Everything an exam of activations found."""
    return {
        **_head(exam),
        "batches": exam.batches,
        "inputs": exam.inputs,
        "layers": [
            {
                name: optional(value) if not isinstance(value, str) else value
                for name, value in asdict(row).items()
            }
            for row in exam.rows
        ],
    }


def model_document(exam: ModelExam) -> Document:
    """Everything an exam of a model's design found."""
    return {
        **_head(exam),
        "parameters": exam.parameters,
        "trainable": exam.trainable,
        "samples": exam.samples,
        "plain_depth": exam.plain_depth,
        "memory": {**asdict(exam.memory), "adam": exam.memory.adam, "with_adam": exam.memory.with_adam},
        "layers": [
            {
                "name": row.name,
                "kind": row.kind,
                "parameters": row.parameters,
                "trainable": row.trainable,
                "output": None if row.shape is None else list(row.shape),
                "gain": optional(row.gain),
            }
            for row in exam.rows
        ],
    }


def _head(exam: GradientExam | ActivationExam | ModelExam) -> Document:
    return {
        **head("exam"),
        **exam_document(exam),
        "model": exam.model,
        "verdict": mark(exam.problems),
        "notes": list(exam.notes),
    }
