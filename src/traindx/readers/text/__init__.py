"""What programs print, line by line: which numbers are records of the training, and where they stand."""
