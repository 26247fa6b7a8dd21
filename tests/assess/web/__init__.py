"""The application as its server answers."""
