"""The command `parsolve`, also as `python -m parsolve`."""

import signal

# Until the handlers of the command line are installed, Ctrl-C ends the process at once, without a traceback.
signal.signal(signal.SIGINT, signal.SIG_DFL)

from parsolve.cli import entry  # noqa: E402

if __name__ == "__main__":
    entry()
