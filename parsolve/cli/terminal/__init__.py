"""What is printed, and where: streams, bars, wrapped texts, results."""
