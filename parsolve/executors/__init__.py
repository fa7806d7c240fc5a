"""Where slices run: processes of this machine, and what any other executor needs to run them."""
