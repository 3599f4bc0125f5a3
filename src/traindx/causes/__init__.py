"""One root cause each, as data: `CAUSE`; the docstring is its public page."""
