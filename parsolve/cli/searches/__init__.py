"""What solve, count, unique and run do once their options are read; imported whole, and only then."""
