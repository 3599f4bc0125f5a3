"""Tests of graphs need torch; without it they are left out."""

import importlib.util

HAS_TORCH = importlib.util.find_spec("torch") is not None

collect_ignore_glob = [] if HAS_TORCH else ["test_*.py"]

if HAS_TORCH:
    import torch

    torch.set_num_threads(1)
