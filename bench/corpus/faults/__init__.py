"""One module per fault, each with a `FAULT`; the shelf is walked.

They were written from the pages of the causes, without a look at the signs that look for them.
"""
