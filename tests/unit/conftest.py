"""Nothing is compiled in this folder: rules and kernels run as plain Python. So it takes a process of its own, as
`pytest tests/unit`."""

import os
import sys

import numba

os.environ["NUMBA_DISABLE_JIT"] = "1"
numba.config.reload_config()

assert "parsolve.deepening.kernels" not in sys.modules, "too late: some kernels are compiled already"
