"""Checks of data by subject, found by walking this folder."""
