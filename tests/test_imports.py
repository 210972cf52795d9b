"""Imports only point one way, the door is lazy, and nothing optional loads uninvited."""

import ast
import subprocess
import sys
from collections import Counter
from graphlib import TopologicalSorter
from pathlib import Path

import pytest
from floor_plan import rooms

import projstg

PACKAGE = Path(projstg.__file__).parent
FILES = sorted(PACKAGE.rglob("*.py"))

PLAN = Path(__file__).parents[1] / "docs" / "architecture.md"
# Rooms that know nothing of the others, and that all may use.
_KNOW_NOTHING = {"_extras", "_files", "_interrupt", "_printable", "_did_you_mean", "_messages"}
_KNOW_NOTHING |= {"_threads"}


ROOMS = rooms(PLAN.read_text(encoding="utf-8"))

DEPENDENCIES = {"numpy", "scipy", "sklearn", "joblib", "threadpoolctl"}  # the latter two come along
CORE_DEPENDENCIES = {"numpy", "scipy", "torch"}  # torch only late, as everywhere


def module_name(path):
    """Dotted name of a file; a package's ``__init__`` goes by the name of its folder."""
    parts = ["projstg", *path.relative_to(PACKAGE).with_suffix("").parts]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in FILES}


def resolved(node, name, is_package):
    """Absolute dotted names an import statement of module ``name`` asks for."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    base = node.module or ""
    if node.level:
        package = name.split(".") if is_package else name.split(".")[:-1]
        kept = package[: len(package) - node.level + 1]
        base = ".".join([*kept, base] if base else kept)
    # `from package import thing`: thing is a module, or a name in the package itself
    whole = [f"{base}.{alias.name}" for alias in node.names]
    own = base.split(".")[0] == "projstg"
    return [full if own and full in MODULES else base for full in whole]


def is_type_checking(node):
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)


def import_nodes(tree, *, on_import_only=False):
    """Import statements of a tree; on request only those that run when the module is imported."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node
        elif on_import_only and (
            isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            or is_type_checking(node)
        ):
            continue
        else:
            yield from import_nodes(node, on_import_only=on_import_only)


def imported(name, text=None, **kwargs):
    """Absolute names of everything the module imports; ``text`` stands in for its source."""
    path = MODULES.get(name)
    tree = ast.parse(path.read_text(encoding="utf-8") if text is None else text)
    is_package = path is not None and path.name == "__init__.py"
    for node in import_nodes(tree, **kwargs):
        yield from resolved(node, name, is_package)


def room(name):
    """The room of a module: its folder, or two of them where the page has that as a room."""
    first, *others = name.split(".")[1:]
    inner = "/".join([first, *others[:1]])
    return inner if inner in ROOMS else first


def inside(name):
    return [name for name in imported(name) if name.split(".")[0] == "projstg"]


def outside(name, **kwargs):
    roots = {full.split(".")[0] for full in imported(name, **kwargs)}
    return roots - {"projstg"} - set(sys.stdlib_module_names)


def is_core(name):
    return name.startswith("projstg._core")


BEHIND_THE_DOOR = sorted(set(MODULES) - {"projstg"})
CORE = [name for name in BEHIND_THE_DOOR if is_core(name)]


def test_the_rooms_themselves_have_no_cycle():
    assert set(TopologicalSorter(ROOMS).static_order()) == set(ROOMS)


def test_the_page_names_every_room():
    assert {room(name) for name in BEHIND_THE_DOOR} - {"_core"} == set(ROOMS)


@pytest.mark.parametrize("name", BEHIND_THE_DOOR)
def test_imports_only_point_downstream(name):
    if name == "projstg._core":  # the folder's own __init__ imports nothing
        assert not inside(name)
        return
    allowed = ROOMS[room(name)] | {room(name), *_KNOW_NOTHING}
    for target in inside(name):
        assert target != "projstg", f"{name} imports through the door; import from where it lives"
        assert room(target) in allowed, f"{name} imports {target}"


def test_files_import_each_other_without_cycles():
    graph = {
        name: set(imported(name, on_import_only=True)) & set(MODULES) - {name}
        for name in BEHIND_THE_DOOR
    }
    list(TopologicalSorter(graph).static_order())


def test_no_two_files_have_the_same_name():
    stems = Counter(path.stem for path in FILES if path.stem != "__init__")
    assert [stem for stem, n in stems.items() if n > 1] == []


def test_no_two_classes_have_the_same_name():
    names = Counter(
        node.name
        for path in FILES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
    )
    assert [name for name, n in names.items() if n > 1] == []


@pytest.mark.parametrize("name", CORE)
def test_core_knows_only_numpy_scipy_and_torch(name):
    assert outside(name) <= CORE_DEPENDENCIES


@pytest.mark.parametrize("name", sorted(MODULES))
def test_nothing_optional_loads_on_import(name):
    optional = outside(name, on_import_only=True) - DEPENDENCIES
    assert not optional, f"{name} imports {optional} on import; do it where it is used"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import projstg._core.gates.moments", ["projstg._core.gates.moments"]),
        ("from . import name", ["projstg.estimators"]),
        ("from .. import __version__", ["projstg"]),
        ("from ..cli import main", ["projstg.cli"]),
        ("def f():\n    import torch", ["torch"]),
        ("from scipy import linalg", ["scipy"]),
    ],
)
def test_the_reader_of_imports_sees(source, expected):
    assert list(imported("projstg.estimators.some_module", source)) == expected


def test_the_reader_of_imports_tells_late_from_early():
    guarded = "try:\n    import a\nexcept ImportError:\n    pass\n"
    source = guarded + "def f():\n    import b\nif TYPE_CHECKING:\n    import c"
    early = imported("projstg.some_module", source, on_import_only=True)
    assert list(early) == ["a"]


def in_a_new_process(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_the_door_opens_lazily():
    loaded = in_a_new_process("import projstg, sys; print(*sys.modules)")
    modules = {f"projstg.{name}" for name in projstg._MODULES}
    assert not {"numpy", "scipy", "sklearn", "projstg.estimators", *modules} & set(loaded)


def test_public_modules_are_attributes_without_being_imported_by_name():
    code = "import projstg; print(*(getattr(projstg, m).__name__ for m in projstg._MODULES))"
    assert in_a_new_process(code) == [f"projstg.{name}" for name in projstg._MODULES]
    assert {"datasets", "metrics"} <= set(dir(projstg))


def test_the_door_lists_its_names_before_they_are_loaded():
    names = in_a_new_process(
        "import projstg, sys; print(*dir(projstg)); assert 'numpy' not in sys.modules"
    )
    assert names == sorted(projstg.__all__)
    assert "ProjectedSTG" in names


@pytest.mark.parametrize("name", projstg.__all__)
def test_every_public_name_resolves(name):
    value = getattr(projstg, name)
    assert getattr(projstg, name) is value
    if name in projstg._HOME:
        home = sys.modules[projstg._HOME[name]]
        assert name in home.__all__  # where type checkers read it


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'Projected_STG'"):
        _ = projstg.Projected_STG
