"""Where slices run: processes of this machine, and what any executor needs to be one of ours."""
