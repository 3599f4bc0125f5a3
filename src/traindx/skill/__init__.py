"""The skill for agents, and its installer."""
