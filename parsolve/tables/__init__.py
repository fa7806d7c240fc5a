"""Tables of distances: built once, kept in the user's cache folder, loaded once by each process."""
