"""The web server of the assessment application: pages, data for them, and who may see what."""
