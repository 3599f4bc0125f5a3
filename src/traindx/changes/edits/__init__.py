"""The shelf of edits: how one change is written into source, in each file."""
