"""One question about data in each module, found by walking this folder."""
