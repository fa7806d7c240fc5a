"""Templates of iterative deepening."""
