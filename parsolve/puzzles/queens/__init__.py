"""N queens: by rows, by halves of the board, by several lanes at once."""
