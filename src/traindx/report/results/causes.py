"""The pages of causes, carried along with a result that names them."""

import re
from collections.abc import Iterable, Sequence

from traindx.cause import Cause
from traindx.diagnosis.types import Diagnosis
from traindx.report.blocks import Block, Bullets, Paragraph, Reference, Section

_BULLET = re.compile(r"(?m)^- ")


def references(diagnoses: Sequence[Diagnosis]) -> tuple[Reference, ...]:
    """The page of every cause that diagnoses name, each once, by title."""
    causes = {cause.slug: cause for diagnosis in diagnoses for cause in _named(diagnosis)}
    return tuple(_reference(cause) for cause in sorted(causes.values(), key=lambda cause: cause.title))


def _named(diagnosis: Diagnosis) -> Iterable[Cause]:
    for suspect in (*diagnosis.suspects, *diagnosis.ruled_out):
        yield suspect.cause
        if suspect.mechanism:
            yield suspect.mechanism
    if diagnosis.next_experiment:
        yield diagnosis.next_experiment.tests
        yield from diagnosis.next_experiment.against


def _reference(cause: Cause) -> Reference:
    sections = (Section(heading, _blocks(text), is_open=True) for heading, text in cause.sections.items())
    return Reference(cause.slug, cause.title, tuple(sections))


def _blocks(text: str) -> tuple[Block, ...]:
    """The paragraphs and lists of a page."""
    return tuple(block for part in re.split(r"\n\s*\n", text) for block in _part(part))


def _part(part: str) -> Iterable[Block]:
    lead, *items = (" ".join(piece.split()) for piece in _BULLET.split(part))
    if lead:
        yield Paragraph(lead)
    if items:
        yield Bullets(tuple(items))
