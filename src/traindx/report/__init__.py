"""What people see of a result: text, Markdown, HTML, JSON and pictures."""
