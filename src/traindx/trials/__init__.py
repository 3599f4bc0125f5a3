"""Trials: the same command with and without a change, run, measured and compared."""
