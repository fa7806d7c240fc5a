"""exact cover with colours, from Knuth's text format or BurrTools' files"""

INSTANCES: dict[str, object] = {}
