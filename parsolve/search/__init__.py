"""The values of every search: request, budgets, progress, result."""
