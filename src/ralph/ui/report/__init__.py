"""One report of a run in several forms: for the terminal, a page, Markdown, a pull request."""
