"""One tool each: a function of the module's name, its `TITLE`, and what it does to the world, its `HINTS`."""
