"""Small tables of numbers taken from the tensors that enter a model or its loss."""
