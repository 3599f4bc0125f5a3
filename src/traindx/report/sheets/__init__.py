"""What every output shows of an exam of a model: one sheet with the verdict, a table, remarks and notes."""
