"""Op modules: families import one way, nothing imports in a circle, any can be imported first."""

from __future__ import annotations

import json
import subprocess
import sys
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from dataflow.ops.load import load_ops
from tests.house.tree import ROOT, Source, imports, package_sources

FAMILIES = (
    "basic",
    "array",
    "math",
    "reductions",
    "linalg",
    "random",
    "flow",
    "lists",
    "state",
    "text",
    "parsing",
    "sets",
    "saving",
    "summaries",
    "queues",
    "lookup",
    "datasets",
    "boosted_trees",
    "gradient_trees",
    "tensor_forest",
    "python",
    "readers",
    "sparse",
    "ragged",
    "sequences",
    "signal",
    "nn",
    "image",
    "quantization",
)
"""A family imports from itself and from those before it, type hints and late imports included."""

_IMPORT_EACH_FIRST = """
import importlib, json, os, sys, traceback, types

# The package without what its __init__ imports, which is every op module in a fixed order.
package = types.ModuleType("dataflow")
package.__path__ = [sys.argv[1]]
sys.modules["dataflow"] = package
failures = {}
for name in json.loads(sys.argv[2]):
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        try:
            importlib.import_module(name)
        except BaseException:
            os.write(writer, traceback.format_exc().encode()[-2000:])
        os._exit(0)
    os.close(writer)
    with open(reader, "rb") as said:
        failure = said.read().decode()
    os.waitpid(child, 0)
    if failure:
        failures[name] = failure
    # What op modules import from outside is loaded once for all children.
    for other in json.loads(sys.argv[3]):
        importlib.import_module(other)
assert not [name for name in sys.modules if name.startswith("dataflow.ops.")]
print(json.dumps(failures))
"""


def op_modules(root: Path = ROOT) -> list[Source]:
    """The modules below `dataflow.ops`, packages left out."""
    return [
        source
        for source in package_sources(root)
        if source.module.startswith("dataflow.ops.") and not source.is_package
    ]


def imported(sources: list[Source]) -> dict[str, set[str]]:
    """What each module imports, wherever it says so."""
    known = {source.module for source in package_sources(sources[0].root)}
    return {
        source.module: {item.module for item in imports(source, known)} - {source.module}
        for source in sources
    }


def family_faults(graph: dict[str, set[str]]) -> list[str]:
    """Imports of a later family, one line each."""
    faults = []
    for module, others in sorted(graph.items()):
        for other in sorted(others):
            here, there = _family(module), _family(other)
            if here and there and FAMILIES.index(there) > FAMILIES.index(here):
                faults.append(f"{module} imports {other}; {there} comes after {here}")
    return faults


def circle(graph: dict[str, set[str]]) -> str:
    """One circle among the modules, or nothing."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return " <- ".join(error.args[1])
    return ""


def failures_imported_first(root: Path, modules: list[str]) -> dict[str, str]:
    """For each module that cannot be the first one imported, what came of it."""
    graph = imported(op_modules(root))
    outside = sorted(
        name
        for name in set().union(*graph.values())
        if name.startswith("dataflow.") and not name.startswith("dataflow.ops")
    )
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            _IMPORT_EACH_FIRST,
            str(root / "dataflow"),
            json.dumps(modules),
            json.dumps(outside),
        ],
        cwd=root,
        capture_output=True,
        text=True,
        check=True,
    )
    failures: dict[str, str] = json.loads(done.stdout)
    return failures


def _family(module: str) -> str:
    parts = module.split(".")
    return parts[2] if parts[:2] == ["dataflow", "ops"] and len(parts) > 3 else ""


def test_every_family_has_its_place() -> None:
    found = {_family(source.module) for source in op_modules()} - {""}
    assert found == set(FAMILIES)


def test_families_import_one_way() -> None:
    faults = family_faults(imported(op_modules()))
    assert not faults, "\n" + "\n".join(faults)


def test_no_circle_among_op_modules() -> None:
    assert not circle(imported(op_modules()))


def test_each_can_be_imported_first() -> None:
    failures = failures_imported_first(ROOT, [source.module for source in op_modules()])
    assert not failures, "\n".join(f"{name}:\n{text}" for name, text in failures.items())


def test_all_are_loaded_on_demand() -> None:
    load_ops()
    missing = {source.module for source in op_modules()} - set(sys.modules)
    assert not missing


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Two families whose modules need each other, one of them late and only for a type hint."""
    files = {
        "dataflow/__init__.py": "",
        "dataflow/ops/__init__.py": "",
        "dataflow/ops/array/__init__.py": "",
        "dataflow/ops/array/fill.py": "from dataflow.ops.math.binary import add\nzeros = 1",
        "dataflow/ops/array/shape.py": "def f():\n    import dataflow.ops.math.unary",
        "dataflow/ops/math/__init__.py": "",
        "dataflow/ops/math/binary.py": "from dataflow.ops.array.fill import zeros\nadd = 1",
        "dataflow/ops/math/unary.py": (
            "from typing import TYPE_CHECKING\n"
            "if TYPE_CHECKING:\n    import dataflow.ops.array.shape"
        ),
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def test_import_of_a_later_family_is_named(tree: Path) -> None:
    assert family_faults(imported(op_modules(tree))) == [
        "dataflow.ops.array.fill imports dataflow.ops.math.binary; math comes after array",
        "dataflow.ops.array.shape imports dataflow.ops.math.unary; math comes after array",
    ]


@pytest.mark.parametrize("pair", [("fill", "binary"), ("shape", "unary")])
def test_circle_is_named(tree: Path, pair: tuple[str, str]) -> None:
    sources = [s for s in op_modules(tree) if s.module.rpartition(".")[2] in pair]
    found = circle(imported(sources))
    assert all(name in found for name in pair)


def test_module_that_needs_another_first_is_named(tree: Path) -> None:
    names = ["dataflow.ops.array.fill", "dataflow.ops.array.shape", "dataflow.ops.math.binary"]
    failures = failures_imported_first(tree, names)
    assert sorted(failures) == [names[0], names[2]]
    assert "cannot import name 'zeros'" in failures[names[0]]
