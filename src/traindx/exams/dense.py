"""Tensors as files hold them, in the one form that everything here can look into."""

from typing import Annotated

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from traindx.errors import UnreadableError
from traindx.exams.presenting import described, told_error

_MOST_VALUES: Annotated[int, "values that a sparse tensor is filled up to: half a gigabyte of float32"] = (
    1 << 27
)
_OF_NUMPY = (torch.float16, torch.float32, torch.float64)


def dense(tensor: Tensor, where: str) -> Tensor:
    """The tensor with every value in it, or the sentence that says why it cannot be."""
    if tensor.layout is torch.strided and not tensor.is_nested:
        return tensor
    if tensor.is_nested or tensor.numel() > _MOST_VALUES:
        kind = "nested" if tensor.is_nested else f"sparse ({described(tensor)})"
        raise UnreadableError(where, f"holds a tensor that is {kind}", "save a dense one of fewer rows")
    return tensor.to_dense()


def array_of(tensor: Tensor, where: str) -> NDArray[np.generic]:
    """The values of a tensor of any layout, number format and device."""
    plain = dense(tensor.detach(), where).cpu()
    if plain.is_floating_point() and plain.dtype not in _OF_NUMPY:
        plain = plain.float()
    try:
        array: NDArray[np.generic] = plain.numpy()
    except (TypeError, RuntimeError) as error:  # quantized ones and others that NumPy has no word for
        says = f"holds a tensor that cannot be read ({told_error(error)})"
        raise UnreadableError(where, says, "save it as float32") from error
    return array
