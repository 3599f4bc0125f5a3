"""What is said where the program ran in its working directory itself, not in copies of it."""

IN_PLACE = "the program ran in the working directory itself, and may have overwritten what it writes"
