"""The command line: quick help, one line for a mistake, one command from nothing to rows."""

import os
import shlex
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from projstg import cli
from projstg.experiments.runner import run
from projstg.experiments.spec import load_spec, spec_names
from projstg.experiments.store import read_rows

SPEC = """
methods = ["omp", "own_methods:missing"]
[problem]
n_features = 12
n_informative = 2
noise_std = 1.0
[sizes.smoke]
repetitions = 2
settings = [{ n_samples = [10, 20] }]
"""


@pytest.fixture
def mine(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(SPEC, encoding="utf-8")
    return path


def test_help_loads_click_and_nothing_heavy():
    code = (
        "import sys; from projstg.cli import main; status = main(['--help'])\n"
        "heavy = {'numpy', 'sklearn', 'pandas', 'rich', 'joblib'} & set(sys.modules)\n"
        "sys.exit(f'{status} {heavy}' if status or heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "reproduce" in done.stdout


def test_the_module_is_the_command():
    done = subprocess.run(
        [sys.executable, "-m", "projstg", "--version"], capture_output=True, text=True
    )
    assert done.returncode == 0
    assert done.stdout.startswith("projstg, version 0.1.0 (kernel: ")


def test_from_nothing_to_rows_and_again(mine, tmp_path, capsys, said_by):
    out = tmp_path / "out"
    command = ["reproduce", str(mine), "--out", str(out), "--jobs", "1", "--no-report"]
    said = said_by(*command)
    assert "2 of 2 tasks done" in said.out
    assert 'left out: own_methods:missing; pip install "projstg[peers]"' in said.err
    assert len(read_rows(out)) == 4
    (out / "parts" / "foreign\x1b[31m.parquet").write_text("no", encoding="utf-8")
    said = said_by(*command)
    assert "0 of 2 tasks done" in said.out
    assert "2 were there" in said.out
    assert "set aside: foreign" in said.err
    assert "\x1b" not in said.err
    command += ["--methods", "omp,own_methods:broken"]
    command += ["--time-limit", "30", "--memory-limit", "4"]
    assert cli.main([*command, "--fresh", "--progress"]) == 1
    said = capsys.readouterr()
    assert "4 of 4 tasks done" in said.out
    assert "4/4" in said.err
    assert "4 fits failed, the first: own_methods:broken: RuntimeError: always" in said.err


def test_signals_are_left_as_they_were_and_threads_may_run(mine, tmp_path):
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = [signal.getsignal(number) for number in numbers]
    command = ["reproduce", str(mine), "--out", str(tmp_path / "out"), "--no-report"]
    assert cli.main(command) == 0
    assert [signal.getsignal(number) for number in numbers] == before
    with ThreadPoolExecutor(1) as threads:
        assert threads.submit(cli.main, command).result() == 0


def test_modules_in_the_current_folder_shadow_nothing(mine, monkeypatch, said_by):
    monkeypatch.chdir(mine.parent)
    Path("json.py").write_text("raise SystemExit('json.py was run')", encoding="utf-8")
    own = "from own_methods import marginal\nmine = marginal"
    Path("beside_the_spec.py").write_text(own, encoding="utf-8")
    command = ["reproduce", "mine.toml", "--out", "out", "--jobs", "1", "--no-report"]
    assert "4 of 4 tasks done" in said_by(*command, "--methods", "omp,beside_the_spec:mine").out


def test_the_page_is_made_at_the_end_or_on_request(mine, tmp_path, capsys, monkeypatch):
    import projstg.report

    made = []
    monkeypatch.setattr(
        projstg.report, "make_report", lambda folder, out=None: made.append((folder, out)) or folder
    )
    out = tmp_path / "out"
    run([load_spec(mine)], out)
    assert cli.main(["reproduce", str(mine), "--out", str(out), "--jobs", "1"]) == 0
    assert cli.main(["report", str(out)]) == 0
    assert made == [(out, None)] * 2
    assert capsys.readouterr().out.endswith(f"{out}\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["reproduce", "recovery_vs_sample"], "did you mean 'recovery_vs_samples'"),
        (["reproduce", "no/such.toml"], "there is no file"),
        (["reproduce", "speed", "--size", "huge"], "no size 'huge'"),
        (["reproduce", "speed", "--methods", "lassso"], "did you mean 'lasso'"),
        (["reproduce", "speed", "--methods", ""], "--methods names none"),
        (["reproduce", "speed", "--methods", ","], "--methods names none"),
        (["reproduce", "speed", "--scheduler", "tcp://here"], "--backend dask"),
        (["reproduce", "speed", "--backend", "dask", "--time-limit", "600"], "leave them out"),
        (["reproduce", "speed", "--backend", "dask", "--memory-limit", "4"], "leave them out"),
        pytest.param(
            ["reproduce", "speed", "--device", "abacus"],
            "no device 'abacus'",
            marks=pytest.mark.torch,
        ),
        (["reproduce", "--jobs", "0"], "0 is not in the range"),
        (["reproduce", "speed", "--time-limit", "nan"], "a time limit of nan s"),
        (["reproduce", "speed", "--time-limit", "inf"], "inf is not in the range"),
        (["reproduce", "speed", "--memory-limit", "0.1"], "0.1 is not in the range"),
        (["reproduce", "--sizee", "smoke"], "--size"),
        (["report", "no/such/folder"], "does not exist"),
        (["lsit"], "list"),
    ],
)
def test_a_mistake_is_one_line_and_two(arguments, message, tmp_path, monkeypatch, refusal):
    monkeypatch.chdir(tmp_path)
    assert message in refusal(*arguments)
    assert os.listdir(tmp_path) == []  # nothing was begun


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('trials_of = "mine.toml"', "comes back to itself"),
        ("title = " + "[" * 5000, "nested too deeply"),
        (SPEC.replace("n_features = 12", "n_features = 2000000000"), "are the most"),
        (SPEC.replace("repetitions = 2", "repetitions = 1000000000"), "from 1 to 1000000"),
        (SPEC.replace('"omp"', '{ method = "omp", estimate = "__class__" }'), "estimate"),
        (SPEC.replace("settings = [{ n_samples = [10, 20] }]", "settings = 3"), "list of tables"),
        (SPEC.replace('"omp"', '"own_methods:"'), "has no ''"),
        (SPEC.replace('"omp"', '"own_syntax:mine"'), "cannot be imported (SyntaxError"),
        (os.mkfifo, "'mine.toml' is no experiment: it is a pipe; give a file"),
        (os.mkdir, "'mine.toml' is no experiment: it is a folder; give a file"),
    ],
)
def test_a_bad_file_is_one_line_and_two(text, message, tmp_path, monkeypatch, refusal):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own_syntax.py").write_text("def mine(:", encoding="utf-8")
    if callable(text):
        text("mine.toml")
    else:
        Path("mine.toml").write_text(text, encoding="utf-8")
    assert message in refusal("reproduce", "mine.toml", "--out", "out")
    assert not Path("out").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ["reproduce", "no\x1b[31msuch\x07.toml"],
        ["reproduce", "speed", "--methods", "no\x1b[31msuch"],
        ["report", "no\x1b[31msuch"],
        ["no\x1b[31msuch"],
    ],
)
def test_control_characters_do_not_reach_the_terminal(arguments, refusal):
    said = refusal(*arguments)
    assert "such" in said
    assert all(letter.isprintable() for letter in said.rstrip("\n"))


def test_the_help_says_what_the_exit_status_means(capsys):
    assert cli.main(["reproduce", "--help"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "Exit status: 0 all is done; 1 all is done, but some fits failed" in said
    assert "--time-limit SECONDS" in said
    assert "0: none; default: 600" in said


def test_a_stopped_run_says_how_to_go_on(mine, tmp_path, monkeypatch, capsys):
    from projstg.experiments import runner

    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(runner, "_tuned", stop)
    arguments = ["reproduce", str(mine), "--out", str(tmp_path / "out"), "--fresh"]
    monkeypatch.setattr(sys, "argv", ["projstg", *arguments])
    assert cli.main() == 130
    last = capsys.readouterr().err.splitlines()[-1]
    again = shlex.join(["projstg", *arguments[:-1]])
    assert last.endswith(f"go on with: {again}")


def test_without_click_one_line_says_what_to_install(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "click", None)
    assert cli.main(["list"]) == 2
    assert (
        capsys.readouterr().err == 'projstg: click is not installed: pip install "projstg[cli]"\n'
    )


def test_the_list_has_everything(monkeypatch, said_by):
    from projstg.experiments import registry as methods

    monkeypatch.setattr(methods, "available", lambda method: method.needs and "pip install it")
    said = said_by("list").out
    for name in [*spec_names(), *methods.METHODS]:
        assert f"  {name} " in said
    assert "abess; missing: pip install it" in said


def test_a_broken_entry_point_is_listed_with_its_error_and_the_rest_goes_on(monkeypatch, said_by):
    from projstg.experiments.registry import GROUP, METHODS, find_method

    entries = [
        EntryPoint("absent", "no_such_module_at_all:mine", GROUP),
        EntryPoint("plain", "own_methods:marginal", GROUP),
        EntryPoint("red \x1b[31m", "own_methods:no_such_name", GROUP),
        EntryPoint("wrong", "own_methods:__doc__", GROUP),
    ]
    monkeypatch.setattr(find_method, "entry_points", lambda group: entries)
    said = said_by("list").out
    about = {line.split("  ")[1]: line for line in said.splitlines() if line.startswith("  ")}
    for name in [*spec_names(), *METHODS]:
        assert name in about
    assert "broken: 'absent': its entry point" in about["absent"]
    assert "no_such_module_at_all" in about["absent"]
    assert about["plain"].endswith("plain")
    assert "AttributeError" in about[r"red \x1b[31m"]
    assert "is of type str" in about["wrong"]
    assert all(line.isprintable() for line in said.splitlines())
