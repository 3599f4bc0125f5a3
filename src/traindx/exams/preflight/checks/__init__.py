"""What is looked at before a long run: one check each, in the order of their parts and places."""
