"""`python -m parsolve`."""

from parsolve.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
