"""The values of every search: what is asked, what it may take, how it goes, what it has found."""
