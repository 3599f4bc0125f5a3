"""The learning-rate range test, of a loop and of a program."""
