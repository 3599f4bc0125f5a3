"""Which tensors of a program can be read like a plain array of numbers."""

import torch
from torch import Tensor
from torch._C._functorch import is_functorch_wrapped_tensor


def legible(tensor: Tensor) -> Tensor | None:
    """The tensor without graph and subclass; None if it is empty, complex, sparse, or without memory here."""
    kind = type(tensor)
    if kind is not Tensor and kind is not torch.nn.Parameter:
        # A subclass with a dispatch of its own may talk to other processes or have no memory at all.
        if kind.__torch_dispatch__ is not Tensor.__torch_dispatch__:
            return None
        with torch._C.DisableTorchFunctionSubclass():
            tensor = tensor.detach().as_subclass(Tensor)
    if tensor.layout is not torch.strided or tensor.is_nested or is_functorch_wrapped_tensor(tensor):
        return None
    if tensor.is_complex() or tensor.is_quantized or not tensor.data_ptr():
        return None
    return tensor.detach()
