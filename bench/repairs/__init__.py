"""What bench/repair.py treats, and how it judges what came out."""
