"""One module per fault, each with a `FAULT`; the shelf is walked.

They were written from the pages of the causes, not from the signs that look for them.
"""
