"""What edits of source are made of: files, calls, values behind names, statements."""
