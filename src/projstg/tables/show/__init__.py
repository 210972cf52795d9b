"""The answer for people: on a terminal, as a page, as files."""
