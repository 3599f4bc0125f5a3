"""What comparing runs is made of: a measure, hyperparameters, noise, associations, partings."""
