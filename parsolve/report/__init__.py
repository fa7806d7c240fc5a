"""HTML reports: searches, spaces and benchmarks, as tables, charts and players."""
