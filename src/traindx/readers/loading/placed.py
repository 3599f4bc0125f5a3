"""The type of a column that has found its quantity."""

from dataclasses import dataclass

from traindx.quantities import QUANTITIES
from traindx.readers.names.vocabulary import Meaning
from traindx.readers.types import Column
from traindx.run import Quantity, Split


@dataclass(frozen=True, eq=False)
class MappedColumn:
    """A column together with what it means."""

    column: Column
    means: Meaning

    @property
    def key(self) -> tuple[Quantity, str, str]:
        """What tells this column from the others of its run."""
        return self.means.quantity, self.means.part, self.means.layer


def measure_of(quantity: Quantity) -> str:
    """What is measured, whatever part of the data it is measured on."""
    return quantity.slug.partition("_")[2]


def other_split(quantity: Quantity, split: Split) -> Quantity:
    """The same measure on another split."""
    assert quantity.split is not None
    return QUANTITIES[quantity.slug.replace(quantity.split.value, split.value, 1)]
