"""What the HTML report is made of: text, curves, style and script."""
