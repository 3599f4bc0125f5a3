"""Reading training scripts without running them."""
