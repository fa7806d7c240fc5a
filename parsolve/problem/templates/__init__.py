"""Templates that serve every engine: each rule alone, the replay of moves."""
