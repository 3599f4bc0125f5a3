"""What signs see of a run: curves with level, trend and noise, and what is read off them."""
