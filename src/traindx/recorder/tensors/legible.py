"""Which tensors of a batch can be read: numbers as `plain` has them, and labels, tokens and masks as well."""

import torch
from torch import Tensor
from torch._C._functorch import is_functorch_wrapped_tensor
from torch.nn import Parameter

from traindx.recorder.tensors.plain import plain


def legible(tensor: Tensor) -> Tensor | None:
    """The tensor without graph and subclass; None if it is empty, complex, sparse, or without memory here."""
    kind = type(tensor)
    if kind is not Tensor and kind is not Parameter:
        # A subclass with a dispatch of its own may talk to other processes or have no memory at all.
        if kind.__torch_dispatch__ is not Tensor.__torch_dispatch__:
            return None
        with torch._C.DisableTorchFunctionSubclass():
            tensor = tensor.detach().as_subclass(Tensor)
    if is_functorch_wrapped_tensor(tensor):
        return None
    found = plain(tensor) if tensor.is_floating_point() else _whole_numbers(tensor)
    return None if found is None else found.detach()


def _whole_numbers(tensor: Tensor) -> Tensor | None:
    if tensor.is_complex() or tensor.is_quantized:
        return None
    in_memory = tensor.layout is torch.strided and not tensor.is_nested and tensor.data_ptr()
    return tensor if in_memory else None
