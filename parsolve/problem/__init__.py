"""A puzzle made ready to be searched: found, verified, called, shown, shipped."""
