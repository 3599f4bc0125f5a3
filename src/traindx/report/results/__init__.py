"""What each result has to say, whatever the format."""
