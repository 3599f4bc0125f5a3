"""One log format each; `catalogue` walks this folder, so a new reader is a new file and nothing else."""
