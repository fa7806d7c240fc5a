"""exact cover with colours, from Knuth's text format or BurrTools' files"""

from parsolve.catalogue import Instance

INSTANCES: dict[str, Instance] = {}
