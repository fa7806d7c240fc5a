"""The optional parts of the contract, in groups: each a file with its members and their defaults."""
