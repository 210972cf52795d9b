"""Calls that were lost are tried again."""

import pytest
from small_experiment import spec

from projstg.experiments.attempts import rows_of_tasks
from projstg.experiments.pool import Lost
from projstg.experiments.tasks import plan
from projstg.experiments.trial import Where
from projstg.experiments.tune import GRID


@pytest.mark.parametrize("reason", ["the worker process died", "TimeLimit: no answer"])
def test_a_lost_block_is_tried_whole_then_in_pieces(reason):
    """The first attempt at each task is lost; of one task the second as well."""
    tasks = [task for task in plan(spec(["own_methods:many"]), "smoke", GRID) if task.last == 2]
    seen, alone = {}, []

    def answers(calls, one_at_a_time):
        for name, function, args in calls:
            seen[name] = seen.get(name, 0) + 1
            alone.append(one_at_a_time)
            lost = name in (tasks[0].key, tasks[1].key) and seen[name] <= 1 + (name == tasks[0].key)
            yield name, Lost(reason) if lost else function(*args)

    rows = dict(rows_of_tasks([(task, None) for task in tasks], Where("0", None), answers))
    sizes = {key: [row["batch_size"] for row in found] for key, found in rows.items()}
    assert sizes == {tasks[0].key: [1, 1], tasks[1].key: [2, 2]}
    assert alone == [False] * 2 + [not reason.startswith("TimeLimit")] * 4
