"""Rows of names and numbers, from delimited text and JSON, to columns with positions."""
