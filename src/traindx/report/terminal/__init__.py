"""What the text renderer prints: one module for each part of a report."""
