"""What is said where the program ran in its working directory itself, not in copies of it."""

IN_PLACE = "the working directory is large: the program ran in it, and may have overwritten what it writes"
