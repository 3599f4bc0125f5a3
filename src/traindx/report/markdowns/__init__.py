"""What the Markdown renderer writes: one module for each part of a report."""
