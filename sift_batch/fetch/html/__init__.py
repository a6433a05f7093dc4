"""HTML to Markdown or plain text."""
