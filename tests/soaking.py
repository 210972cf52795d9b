"""Short in ``make test``, long in ``make soak``: the same properties and faults, more of them.

A property takes :func:`examples` instead of a number of its own, a fault repeats itself
:data:`ROUNDS` times, and both :func:`count` what they tried. In ``make test`` everything is
derandomised and few; ``make soak`` sets the three variables of the environment below.
"""

import os
from pathlib import Path

from hypothesis import HealthCheck, Phase, settings

TIMES = float(os.environ.get("PROJSTG_SOAK_TIMES", "0"))
"""How many times longer than in ``make test`` a property is tried; 0: that short, and the same
problems every time."""
ROUNDS = int(os.environ.get("PROJSTG_SOAK_ROUNDS", "1"))
"""How often each fault happens."""
_TALLY = os.environ.get("PROJSTG_SOAK_TALLY")


def examples(n: int) -> settings:
    """Return Hypothesis's settings for a property tried on ``n`` problems in ``make test``."""
    is_long = TIMES > 0
    return settings(
        derandomize=not is_long,
        deadline=None,
        max_examples=max(1, round(n * TIMES)) if is_long else n,
        database=None,
        print_blob=is_long,
        # To shrink a problem takes many fits; a seed and its shape say enough in a long run.
        phases=[Phase.explicit, Phase.generate, *([] if is_long else [Phase.shrink])],
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
    )


def count(kind: str, name: str, n: int = 1) -> None:
    """Note that ``n`` problems or faults of a name were tried; ``make soak`` adds them up."""
    if _TALLY:
        with Path(_TALLY).open("a", encoding="utf-8") as file:  # one short line: whole or not
            file.write(f"{kind}\t{name}\t{n}\n")
