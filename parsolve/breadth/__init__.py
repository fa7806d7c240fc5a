"""Breadth-first search: layers by cost, path counts, lists, whole spaces."""
