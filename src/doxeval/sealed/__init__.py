"""What is written once, sealed, and only read from then on: collections and search indexes."""
