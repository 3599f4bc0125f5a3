"""What the exam of data reads and looks at: sources of rows, and the rows as one table of numbers."""
