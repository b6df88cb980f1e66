"""Output of the commands: text and JSON, HTML and Markdown pages, figures, progress."""
