"""How people name things: foreign names to quantities, facts, splits and axes."""
