"""What the known loss functions compare, and what their predictions and targets say."""
