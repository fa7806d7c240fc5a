"""Templates of the engine of levels."""
