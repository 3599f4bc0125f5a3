"""The exam of data, before anything is trained on it."""
