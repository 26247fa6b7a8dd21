"""Reading documents of each format into tags and text."""
