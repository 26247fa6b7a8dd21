"""Judgments out of the application and into it: formats, imports, and new versions of texts."""
