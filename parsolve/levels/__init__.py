"""Levels of states, one after another: entries in chains of blocks, merged when their level is next."""
