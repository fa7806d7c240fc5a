"""Peg solitaire: boards, rules, bounds, feasible boards, pictures."""
