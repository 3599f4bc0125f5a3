"""Classes of a source."""

import libcst as cst

from traindx.changes.source.source import Source


def is_module(source: Source, one: cst.ClassDef) -> bool:
    """Whether a class is a model or a part of one: nn.Module, LightningModule."""
    return any("Module" in source.code(base.value) for base in one.bases)


def module_classes(source: Source) -> list[cst.ClassDef]:
    """The classes of a source that are models or parts of them, in the order of the text."""
    return [one for one in source.all(cst.ClassDef) if is_module(source, one)]
