"""What the autograd graph tells about a step: it is read, never changed, and never run."""
