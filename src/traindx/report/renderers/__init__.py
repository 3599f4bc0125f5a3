"""One output format each: a function from a `Report` to text."""
