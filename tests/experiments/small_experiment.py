"""A small experiment that many tests run."""

import json

from projstg.experiments.spec import parse_spec
from projstg.experiments.store import TIMINGS, read_rows

SPEC = """
root = 5
alpha_scale = "per-setting"
methods = ["omp", "projected-stg-exact", "projected-stg-refined", "limit-evidence"]
[problem]
n_features = 16
n_informative = 3
noise_std = 1.0
[sizes.smoke]
repetitions = 5
block = 2
pilots = 3
[[sizes.smoke.settings]]
n_samples = [12, 25]
"""


def spec(methods=None, text=SPEC, name="mine"):
    if methods is not None:
        start, end = text.index("methods ="), text.index("[problem]")
        text = text[:start] + f"methods = {_toml(methods)}\n" + text[end:]
    return parse_spec(text, name)


def _toml(value):
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{key} = {_toml(each)}' for key, each in value.items())} }}"
    return json.dumps(value)


def contents(folder):
    return read_rows(folder).drop(columns=list(TIMINGS)).to_csv()
