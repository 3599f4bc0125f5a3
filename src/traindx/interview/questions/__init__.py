"""What an interview may ask, as data by topic: found by walking this folder."""
