"""Questions asked of a model, an optimizer and some data in hand, without a training run."""
