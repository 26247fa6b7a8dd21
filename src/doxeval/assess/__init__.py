"""The assessment application: assessors highlight relevant text of pooled documents."""
