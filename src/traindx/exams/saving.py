"""What a forward pass keeps for the way back."""

from collections.abc import Iterator
from contextlib import contextmanager

from torch import Tensor, nn
from torch.autograd.graph import saved_tensors_hooks


class Saved:
    """Bytes of the tensors that a graph holds, each memory once."""

    def __init__(self, model: nn.Module) -> None:
        """What belongs to the model itself is not counted."""
        self.bytes = 0
        self._known = {_storage(one) for one in (*model.parameters(), *model.buffers())}

    @contextmanager
    def counted(self) -> Iterator[None]:
        """A stretch of code whose saved tensors are counted."""

        def pack(tensor: Tensor) -> Tensor:
            memory = _storage(tensor)
            if memory not in self._known:
                self._known.add(memory)
                self.bytes += tensor.untyped_storage().nbytes()
            return tensor

        with saved_tensors_hooks(pack, lambda tensor: tensor):
            yield


def _storage(tensor: Tensor) -> int:
    try:
        return int(tensor.untyped_storage().data_ptr())
    except (NotImplementedError, RuntimeError):  # a tensor without memory of its own
        return 0
