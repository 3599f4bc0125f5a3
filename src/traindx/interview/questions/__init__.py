"""What an interview may ask, one question each: found by walking this folder."""
