"""Preflight: what can be said of a training before the long run."""
