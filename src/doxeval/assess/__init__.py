"""The assessment application: judging documents, and turning judgments into assessments."""
