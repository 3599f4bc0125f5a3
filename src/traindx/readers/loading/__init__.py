"""From paths to runs: find the places, read them, put together what belongs to one run."""
