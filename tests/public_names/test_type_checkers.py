"""What mypy and pyright see of the public names in a program of whoever installed the library."""

from __future__ import annotations

import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from tests.house.tree import ROOT
from tests.public_names.lists import ours

pytestmark = pytest.mark.slow

Said = dict[str, dict[int, str]]
"""By program, what a checker says of its lines: types that are revealed, and errors."""

_SAID = re.compile(r"^\S*?(\w+)\.py:(\d+)(?::\d+)?:? (?:- )?(.*)$")
_UNTYPED = ("Any", "Unknown")
_ERROR = re.compile(r"\berror: ")
_REVEALED = re.compile(r'(?:Revealed type|Type of ".*") is "(.*)"$')


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The python of an environment with the library among its packages."""
    home = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(home)], check=True)
    (packages,) = home.glob("lib/python*/site-packages")
    (packages / "all.pth").write_text(f"{ROOT}\n{sysconfig.get_path('purelib')}\n")
    return home / "bin" / "python"


# What one checker sees the other does, in other words.
@pytest.fixture(scope="module", params=["mypy", pytest.param("pyright", marks=pytest.mark.long)])
def said(
    request: pytest.FixtureRequest, environment: Path, tmp_path_factory: pytest.TempPathFactory
) -> Said:
    """All programs at once: to read the library takes longer than all of them."""
    options = {
        "mypy": [
            "--config-file=",
            "--strict",
            f"--python-executable={environment}",
            f"--cache-dir={environment.parents[1] / 'mypy'}",
        ],
        "pyright": [f"--pythonpath={environment}"],
    }
    folder = tmp_path_factory.mktemp("programs")
    programs = _programs()
    for name, program in programs.items():
        (folder / f"{name}.py").write_text(program)
    files = [f"{name}.py" for name in programs]
    command = [sys.executable, "-m", request.param, *options[request.param], *files]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    said: Said = {name: {} for name in programs}
    for line in done.stdout.splitlines():
        if found := _SAID.match(line.strip()):
            lines, number = said[found[1]], int(found[2])
            lines[number] = "\n".join([*filter(None, [lines.get(number)]), found[3]])
    assert all(said.values()), done.stdout + done.stderr
    return said


def _revealed(said: str) -> str:
    """The type that a checker names, without the modules its parts are in."""
    (found,) = (found[1] for line in said.splitlines() if (found := _REVEALED.search(line)))
    return re.sub(r"\b(?:\w+\.)+(?=\w)", "", found)


def _names() -> list[str]:
    """All public names but those of `raw_ops`: what is made from the registered ops is known only
    when the program runs."""
    modules = {"tf", *(path for path, name in ours().items() if name.kind == "module")}
    modules.remove("tf.raw_ops")
    return [path for path in ours() if path.rpartition(".")[0] in modules]


TYPES = {
    "tf.Session()": "Session",
    "tf.Graph()": "Graph",
    "tf.get_default_graph()": "Graph",
    "tf.constant(1.0)": "Tensor",
    "tf.placeholder(tf.float32, [None])": "Tensor",
    "tf.nn.relu([1.0])": "Tensor",
    "tf.get_variable('v', [2])": "Variable",
    "tf.Variable(1.0)": "Variable",
    "tf.train.AdamOptimizer(0.1)": "AdamOptimizer",
    "tf.global_variables_initializer()": "Operation",
    "tf.float32": "DType",
    "tensor.op": "Operation",
    "tensor.graph": "Graph",
    "tensor.shape": "TensorShape",
    "tensor + variable": "Tensor",
    "1.0 + tensor": "Tensor",
    "tensor @ tensor": "Tensor",
    "tensor < variable": "Tensor",
    "tensor[0]": "Tensor",
    "-tensor": "Tensor",
    "variable + 1.0": "Tensor",
    "2 * variable": "Tensor",
    "variable < tensor": "Tensor",
    "variable[0]": "Tensor",
    "-variable": "Tensor",
    "variable.op": "Operation",
    "operation.outputs[0]": "Tensor",
    "session.graph": "Graph",
    "tf1.Session()": "Session",
    "tf.compat.v1.float32": "DType",
    "tf1.compat.as_bytes('x')": "bytes",
    "tf1.nn.relu(tensor)": "Tensor",
    "relu(tensor)": "Tensor",
    "nn.relu(tensor)": "Tensor",
    "special.expint(tensor)": "Tensor",
}

_PROGRAM = """
import dataflow as tf
import dataflow.compat.v1 as tf1
import dataflow.math.special as special
from dataflow import nn
from dataflow.nn import relu

def program(
    tensor: tf.Tensor, variable: tf.Variable, operation: tf.Operation, session: tf.Session
) -> None:
"""

MISTAKES = (
    "tf.no_such_name",
    "tf.nn.no_such_name",
    "tf.train.no_such_name",
    "tf.math.special.no_such_name",
    "tf.compat.no_such_name",
    "tf.compat.v1.no_such_name",
    "tf1.no_such_name",
    "tf.annotations",
    "tf.Session().no_such_name",
    "tf.constant(1.0).no_such_name",
    "tf.placeholder()",
    "tf.Variable(1.0, no_such_name=2)",
)


_MISTAKEN = [
    "import dataflow as tf",
    "import dataflow.compat.v1 as tf1",
    "from dataflow import no_such_name",
    "from dataflow.nn import no_such_name as another",
    *MISTAKES,
]


def _programs() -> dict[str, str]:
    every_name = ["import dataflow as tf", *(f"reveal_type({name})" for name in _names())]
    expressions = [_PROGRAM.rstrip(), *(f"    reveal_type({each})" for each in TYPES)]
    programs = {"every_name": every_name, "expressions": expressions, "mistakes": _MISTAKEN}
    return {name: "\n".join(lines) for name, lines in programs.items()}


def test_every_name_has_a_type(said: Said) -> None:
    names, lines = _names(), said["every_name"]
    untyped = {
        name: lines.get(number)
        for number, name in enumerate(names, 2)
        if _ERROR.search(lines.get(number, "error: ")) or _revealed(lines[number]) in _UNTYPED
    }
    assert len(names) > 900
    assert not untyped


def test_types(said: Said) -> None:
    first = _PROGRAM.count("\n") + 1
    assert {e: _revealed(said["expressions"][n]) for n, e in enumerate(TYPES, first)} == TYPES


def test_an_unknown_name_is_an_error(said: Said) -> None:
    accepted = [
        line for n, line in enumerate(_MISTAKEN, 1) if "error: " not in said["mistakes"].get(n, "")
    ]
    assert accepted == _MISTAKEN[:2]
