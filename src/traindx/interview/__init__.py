"""The guided interview: complaints, questions, claims."""
