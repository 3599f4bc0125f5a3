"""Reading tensors of a live program: which may be touched, samples of them, norms and shares."""
