"""One question asked of a run each: a sign named like its module."""
