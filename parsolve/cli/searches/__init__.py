"""What solve, count, table and run do once their options are read; imported whole, and only then."""
