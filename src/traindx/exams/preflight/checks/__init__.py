"""What is looked at before a long run, by subject; found by walking this folder."""
