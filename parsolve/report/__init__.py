"""What figures look like: tables, plots, and the machine that they are from."""
