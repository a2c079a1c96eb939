"""Imports run one way: an upward import, a cycle or a library in the wrong place fails."""

from __future__ import annotations

import fnmatch
import sys
from pathlib import Path

import pytest

from tests.house import layers
from tests.house.tree import Import, Source, imports, package_sources

_MODULE_LAYER = {module: layer for layer, names in layers.LAYERS.items() for module in names}
_PATTERNS = {name: layer for name, layer in _MODULE_LAYER.items() if name.endswith("*")}


def layer_of(module: str) -> str | None:
    """Layer of the longest prefix that is listed or fits a pattern; `dataflow` is no prefix."""
    parts = module.split(".")
    for end in range(len(parts), 0, -1):
        name = ".".join(parts[:end])
        if name == "dataflow" != module:
            return None
        if name in _MODULE_LAYER:
            return _MODULE_LAYER[name]
        for pattern, layer in _PATTERNS.items():
            if fnmatch.fnmatchcase(name, pattern) and end == pattern.count(".") + 1:
                return layer
    return None


def _matches(name: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


def _within(module: str, packages: tuple[str, ...]) -> bool:
    return any(module == name or module.startswith(f"{name}.") for name in packages)


def _internal_fault(source: Source, item: Import) -> str | None:
    here, there = layer_of(source.module), layer_of(item.module)
    if here is None:
        return None
    if there is None:
        return f"imports {item.module}, which has no layer"
    if here == there or there in layers.MAY_IMPORT[here]:
        return None
    if item.when == "typing" and there not in ("actors", "kernels"):
        return None
    if item.when == "function" and _within(item.module, layers.LAZY_SEAMS.get(source.module, ())):
        return None
    allowed = ", ".join(layers.MAY_IMPORT[here]) or "nothing"
    return f"imports {item.module} ({there}); {here} may import {allowed} and itself"


def _external_fault(source: Source, item: Import) -> str | None:
    top = item.module.split(".")[0]
    if top in layers.LOADERS_OF_CODE:
        return None if _matches(source.name, layers.MAY_LOAD_CODE) else f"imports {top}"
    if top in sys.stdlib_module_names:
        return None
    if top in layers.TYPING_ONLY and item.when == "typing":
        return None
    for pattern, allowed in layers.THIRD_PARTY:
        if _matches(source.name, (pattern,)):
            if top in allowed:
                return None
            return f"imports {top}; {pattern} may import {', '.join(allowed)}"
    return f"imports {top}, and no pattern of THIRD_PARTY names the file"


def violations(sources: list[Source]) -> list[str]:
    """What is wrong, one line a fault: "file:line: reason"."""
    known = {source.module for source in sources}
    faults = []
    for source in sources:
        if layer_of(source.module) is None:
            faults.append(f"{source.name}:1: has no layer; add it to tests/house/layers.py")
        if source.generated:
            continue
        for item in dict.fromkeys(imports(source, known)):
            internal = _within(item.module, ("dataflow",))
            reason = (_internal_fault if internal else _external_fault)(source, item)
            if reason:
                faults.append(f"{source.name}:{item.line}: {reason}")
    return faults


def cycles(sources: list[Source]) -> list[str]:
    """Loops among the imports that run when a module is loaded, each once."""
    known = {source.module for source in sources}
    graph = {
        source.module: sorted(
            {
                item.module
                for item in imports(source, known)
                if item.when == "module" and item.module in known
            }
        )
        for source in sources
    }
    done: set[str] = set()
    found: list[str] = []

    def visit(module: str, trail: list[str]) -> None:
        if module in trail:
            found.append(" -> ".join([*trail[trail.index(module) :], module]))
            return
        if module in done:
            return
        for target in graph[module]:
            visit(target, [*trail, module])
        done.add(module)

    for module in graph:
        visit(module, [])
    return found


def test_imports_run_one_way() -> None:
    faults = violations(package_sources())
    assert not faults, "\n" + "\n".join(faults)


def test_no_import_cycles() -> None:
    loops = cycles(package_sources())
    assert not loops, "\n" + "\n".join(loops)


@pytest.mark.parametrize(
    ("module", "layer"),
    [
        ("dataflow", "api"),
        ("dataflow.graph", "graph"),
        ("dataflow.graph_scopes", "graph"),
        ("dataflow.graph_util", "library"),
        ("dataflow.ops.math", "ops"),
        ("dataflow.kernels.generic.math", "kernels"),
        ("dataflow.newcomer", None),
        ("dataflow.newcomer.graph", None),
    ],
)
def test_layer_of_a_module(module: str, layer: str | None) -> None:
    assert layer_of(module) == layer


def test_tables_agree() -> None:
    assert set(layers.MAY_IMPORT) == set(layers.LAYERS)
    for layer, below in layers.MAY_IMPORT.items():
        for other in below:
            assert layer not in layers.MAY_IMPORT[other], f"{layer} and {other} import each other"


def _sources(root: Path, files: dict[str, str]) -> list[Source]:
    for name in ("dataflow/__init__.py", "actors/__init__.py", "kernels/__init__.py"):
        files.setdefault(name, '"""A package."""')
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return package_sources(root)


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("dataflow/shapes.py", "import dataflow.graph", "values may import nothing"),
        ("dataflow/shapes.py", "from dataflow import graph", "imports dataflow.graph (graph)"),
        ("dataflow/opdef.py", "def f():\n    from dataflow.graph import Graph", "(graph)"),
        ("dataflow/ops/math.py", "import dataflow.passes", "imports dataflow.passes (passes)"),
        ("dataflow/ops/math.py", "import dataflow", "imports dataflow (api)"),
        ("dataflow/passes/prune.py", "from dataflow import graph", "imports dataflow.graph"),
        ("dataflow/ops/math.py", "import ray", "imports ray"),
        ("dataflow/ops/math.py", "import scipy.special", "imports scipy"),
        ("dataflow/session.py", "def f():\n    import dataflow.actors.direct", "(actors)"),
        ("dataflow/session.py", "import importlib\nimportlib.import_module('cupy')", "cupy"),
        ("dataflow/runtime.py", "import dataflow.actors", "imports dataflow.actors (actors)"),
        (
            "dataflow/graph.py",
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import dataflow.kernels",
            "imports dataflow.kernels (kernels)",
        ),
        ("dataflow/graph.py", "import pickle", "imports pickle"),
        ("dataflow/graph.py", "import tensorflow", "imports tensorflow"),
        ("dataflow/graph.py", "from typing_extensions import Self", "imports typing_extensions"),
        ("dataflow/newcomer.py", "import os", "has no layer"),
        ("actors/executor.py", "import ray", "imports ray"),
        ("actors/executor.py", "import dataflow.graph", "imports dataflow.graph (graph)"),
        ("actors/transfers/lanes.py", "import cupy", "imports cupy"),
        ("kernels/generic/math.py", "import cupy", "imports cupy"),
        ("kernels/generic/math.py", "import dataflow.actors", "(actors)"),
        ("kernels/generic/math.py", "from dataflow.graph import Graph", "(graph)"),
    ],
)
def test_upward_import_is_named(tmp_path: Path, name: str, text: str, reason: str) -> None:
    files = {"dataflow/graph.py": "", "dataflow/passes/__init__.py": "", name: text}
    (fault,) = violations(_sources(tmp_path, files))
    assert fault.startswith(f"{name}:")
    assert reason in fault


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("dataflow/ops/math.py", "import os\nimport numpy as np\nfrom dataflow import shapes"),
        ("dataflow/runtime.py", "def connect():\n    import dataflow.actors.direct"),
        (
            "dataflow/opdef.py",
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from dataflow import graph",
        ),
        (
            "dataflow/graph.py",
            "import typing\nif typing.TYPE_CHECKING:\n    from typing_extensions import Self",
        ),
        ("actors/ray_runtime.py", "import ray\nimport cloudpickle"),
        ("actors/transfers/gpu.py", "import cupy"),
        ("actors/device.py", "from dataflow.kernels import registry"),
        ("kernels/gpu/math.py", "import cupy"),
        ("kernels/generic/math.py", "import scipy.special\nfrom dataflow.dtypes import DType"),
    ],
)
def test_downward_import_passes(tmp_path: Path, name: str, text: str) -> None:
    files = {"dataflow/graph.py": "", "dataflow/shapes.py": "", name: text}
    assert violations(_sources(tmp_path, files)) == []


def test_cycle_is_named(tmp_path: Path) -> None:
    files = {
        "dataflow/passes/cse.py": "from dataflow.passes import fold",
        "dataflow/passes/fold.py": "import dataflow.passes.cse",
        "dataflow/passes/place.py": "def f():\n    import dataflow.passes.prune",
        "dataflow/passes/prune.py": "import dataflow.passes.place",
        "dataflow/passes/__init__.py": "",
        "dataflow/ops/math.py": "import dataflow.ops.array",
        "dataflow/ops/array.py": "import dataflow.ops.math",
        "dataflow/ops/__init__.py": "",
    }
    loops = cycles(_sources(tmp_path, files))
    assert loops == [
        "dataflow.ops.array -> dataflow.ops.math -> dataflow.ops.array",
        "dataflow.passes.cse -> dataflow.passes.fold -> dataflow.passes.cse",
    ]
