"""Write the pictures of README and docs/: a solution of Hoppers as an animation, a random tiling, and a report as a
browser shows it.

.venv/bin/python scripts/pictures.py
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import parsolve
from parsolve.problem.registry import make
from parsolve.problem.svg import picture
from parsolve.puzzle.shapes import Shape, Tone
from parsolve.puzzles import Polyominoes

DOCS = Path(__file__).resolve().parents[1] / "docs"

BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def main() -> None:
    """Write them; the last needs a browser.

    Raises:
        SystemExit: there is none.
    """
    first = parsolve.solve(make("hoppers", {}), want="first").solutions[0]
    (DOCS / "hoppers.svg").write_text(first.svg)
    (DOCS / "tiling.svg").write_text(tiling())
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


def tiling() -> str:
    """Return the random tiling of docs/listing.md as an SVG document, by which way each domino lies."""
    puzzle = Polyominoes(board="20x20", pieces="200*I2")
    (solution,) = parsolve.solve(puzzle, engine="sharing", sample=1).solutions
    shapes = []
    for move in solution.moves:
        (_, top, left), (_, bottom, right) = sorted(puzzle.placements[move].cells)
        tone: Tone = "piece" if top == bottom else "other"
        wide, high = right - left + 0.94, bottom - top + 0.94
        shapes.append(Shape("box", (left + right) / 2, (top + bottom) / 2, tone, wide, high))
    return picture(shapes, "A tiling of 20x20 by dominoes, drawn at random")


if __name__ == "__main__":
    main()
