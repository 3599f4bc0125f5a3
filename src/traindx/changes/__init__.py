"""The shelf of changes: one thing that is changed in each file."""
