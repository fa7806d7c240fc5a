"""Fresh virtual environments that packages are installed into."""

import subprocess
import sys
from pathlib import Path


def environment(folder: Path, package: Path, *others: Path) -> Path:
    """Make an environment with a package, and return its Python.

    Args:
        folder: to be made.
        package: what is installed; a folder, a wheel or a source distribution. What it depends on is taken from the
            environment of the tests.
        others: folders whose modules can be imported too.
    """
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    python = folder / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", python]
    subprocess.run([*pip, "install", "--quiet", "--no-deps", package], check=True, capture_output=True)
    where = [python, "-c", "import site; print(site.getsitepackages()[0])"]
    packages = subprocess.run(where, capture_output=True, text=True, check=True).stdout.strip()
    seen = [*(each for each in sys.path if each.endswith("site-packages")), *map(str, others)]
    Path(packages, "seen.pth").write_text("\n".join(seen))
    return python
