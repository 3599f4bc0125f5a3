"""Changing a program while it runs: where changes take hold, and how the arms of a trial get their seeds."""
