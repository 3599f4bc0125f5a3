"""Probes: one kind of question each, asked of a live training; the folder is walked."""
