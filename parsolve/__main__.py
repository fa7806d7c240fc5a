"""`python -m parsolve`."""

from parsolve.cli import entry

if __name__ == "__main__":
    entry()
