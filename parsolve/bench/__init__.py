"""`parsolve bench`: N queens on this machine, as tables and plots."""
