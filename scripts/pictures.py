"""Write the pictures of the README: a solution of Hoppers as an animation, and a report as a browser shows it.

.venv/bin/python scripts/pictures.py
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import parsolve
from parsolve.problem.registry import make

DOCS = Path(__file__).resolve().parents[1] / "docs"

BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def main() -> None:
    """Write them; the second needs a browser.

    Raises:
        SystemExit: there is none.
    """
    first = parsolve.solve(make("hoppers", {}), want="first").solutions[0]
    (DOCS / "hoppers.svg").write_text(first.svg)
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        raise SystemExit(f"docs/report.png is not written: none of {', '.join(BROWSERS)} is installed")
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        parsolve_command = [sys.executable, "-m", "parsolve", "solve", "hoppers", "--quiet", "--html", str(page)]
        subprocess.run(parsolve_command, check=True, stdout=subprocess.DEVNULL)
        shot = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=1100,920"]
        options = [*shot, f"--screenshot={DOCS / 'report.png'}", page.as_uri()]
        subprocess.run([browser, *options], check=True, stderr=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
