"""Runs that can be repeated, and a digest by which two of them are compared."""

import hashlib
import random

import numpy as np
import torch


def seed_everything(seed):
    """Seed every generator a training may draw from."""
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


def fingerprint(*parts):
    """Sha256 over modules, optimizers, tensors and the state of every random generator."""
    digest = hashlib.sha256()
    states = [part.state_dict() if hasattr(part, "state_dict") else part for part in parts]
    _feed(digest, states)
    _feed(digest, [torch.get_rng_state(), np.random.get_state(), random.getstate()])
    return digest.hexdigest()


def _feed(digest, value):
    if isinstance(value, torch.Tensor):
        value = value.detach().to_dense() if value.is_sparse else value.detach()
        digest.update(f"{value.dtype}{tuple(value.shape)}".encode())
        digest.update(value.cpu().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes())
    elif isinstance(value, np.ndarray):
        digest.update(value.tobytes())
    elif isinstance(value, dict):
        for key, item in value.items():
            digest.update(repr(key).encode())
            _feed(digest, item)
    elif isinstance(value, list | tuple):
        for item in value:
            _feed(digest, item)
    else:
        digest.update(repr(value).encode())
