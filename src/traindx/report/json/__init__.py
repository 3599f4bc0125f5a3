"""The parts of the schema `traindx.report/1`, as values that JSON can hold."""
