"""Job files, and running their jobs with a journal."""
