"""The type of a node under suspicion of having made the first value that is not finite."""

from dataclasses import dataclass, replace

from torch.autograd.graph import Node

from traindx.recorder.graph.kinds import Readiness
from traindx.recorder.graph.nodes import VIEWS, is_leaf, operation_of
from traindx.recorder.graph.saved import Saved


@dataclass(frozen=True, eq=False)
class Suspect:
    """A node, or what entered it, that may be the origin."""

    node: Node
    user: Node
    """The node that used it: itself, or for a parameter the first operation that is no view."""
    readiness: Readiness
    proven: bool
    """Whether its output or the constant was seen to be bad, with nothing bad before it."""
    sure: bool = True
    """Whether nothing else can have made it; otherwise it is the likeliest of several."""
    constant: Saved | None = None
    """What came from outside the graph, where that is at fault."""

    @property
    def moment(self) -> tuple[int, bool]:
        """When it acted in the forward pass; a parameter was there before the batch."""
        return self.user._sequence_nr(), not is_leaf(self.node)

    def used_by(self, node: Node) -> "Suspect":
        """The same suspect as the next node sees it."""
        if is_leaf(self.node) and (self.user is self.node or operation_of(self.user) in VIEWS):
            return replace(self, user=node)
        return self


def first(suspects: list[Suspect]) -> Suspect:
    """The one that acted first."""
    return min(suspects, key=lambda suspect: suspect.moment)


def likeliest(suspects: list[Suspect]) -> Suspect:
    """The one whose operation most readily makes such values; of equals the first."""
    able = [suspect for suspect in suspects if suspect.readiness is not Readiness.NEVER] or suspects
    most = max(suspect.readiness for suspect in able)
    chosen = first([suspect for suspect in able if suspect.readiness is most])
    return replace(chosen, sure=chosen.sure and len(able) == 1)
