"""The optional parts of the contract, in groups of members with their defaults."""
