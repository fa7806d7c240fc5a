"""Counting by what is left to do: each state is expanded once, however many ways lead to it."""
