"""Rows on disk: one Parquet file per task, named by the key of the task.

There is no other record of what was done, so a killed run cannot leave a wrong one. A folder
holds::

    parts/KEY.parquet      the rows of one task
    tuning/KEY.json        the C chosen for one setting
    set-aside/             files found in parts/ that are not the rows their name promises
    specs/NAME.toml        the experiments that were asked for
    run.json               versions, machine, command, times of the last run

The report adds ``figures/`` and ``tables/``.
"""

from .part_file import COLUMNS, TIMINGS
from .read_all_rows import NoRows, read_rows
from .run_folder import Store, read_about

__all__ = ["COLUMNS", "TIMINGS", "NoRows", "Store", "read_about", "read_rows"]
