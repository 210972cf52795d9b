"""The rooms of the package as docs/architecture.md has them, read by the script that draws them."""

import importlib.util
from pathlib import Path

_SCRIPT = Path(__file__).parents[1] / "benchmarks" / "plot_architecture.py"


def _loaded():
    spec = importlib.util.spec_from_file_location("plot_architecture", _SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


drawing = _loaded()
rooms = drawing.rooms
