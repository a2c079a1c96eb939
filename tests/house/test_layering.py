"""Imports run one way: an upward import, a cycle or a library in the wrong place fails."""

from __future__ import annotations

import ast
import collections
import fnmatch
import sys
from pathlib import Path

import pytest

from tests.house import layers
from tests.house.tree import ROOT, Import, Source, imports, package_sources

_TOP = "dataflow"


def room_of(module: str) -> str | None:
    """The room of a module: the row with the longest name that it is or lies in."""
    if module == _TOP:
        return layers.FACES
    parts = module.split(".")[1:]
    for end in range(len(parts), 0, -1):
        name = ".".join(parts[:end])
        if name in layers.ROOMS:
            return name
    return layers.FACES if len(parts) == 1 or parts[0] in layers.FACE_PACKAGES else None


def _matches(name: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


def _internal_fault(source: Source, item: Import) -> str | None:
    here, there = room_of(source.module), room_of(item.module)
    if here is None or here == there:
        return None
    if there is None:
        return f"imports {item.module}, which is in no room"
    if here == layers.FACES:
        if there.split(".")[0] not in layers.UNSEEN_BY_FACES:
            return None
        return f"imports {item.module} ({there}), which {here} may not"
    allowed = layers.ROOMS[here]
    if there in allowed.split():
        return None
    return f"imports {item.module} ({there}); {here} may import {allowed or 'nothing'}"


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
    packages = {source.module for source in sources if source.is_package}
    faults = []
    for source in sources:
        if room_of(source.module) is None or (
            source.module.count(".") == 1 and source.module in packages - _listed()
        ):
            faults.append(f"{source.name}:1: is in no room; add it to tests/house/layers.py")
        if source.generated:
            continue
        for item in dict.fromkeys(imports(source, known)):
            internal = item.module == _TOP or item.module.startswith(f"{_TOP}.")
            reason = (_internal_fault if internal else _external_fault)(source, item)
            if reason:
                faults.append(f"{source.name}:{item.line}: {reason}")
    return faults


def _listed() -> set[str]:
    return {f"{_TOP}.{name}" for name in (*layers.ROOMS, *layers.FACE_PACKAGES)}


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


def test_rooms_stand_on_lower_floors() -> None:
    above: set[str] = set()
    for room, allowed in layers.ROOMS.items():
        assert set(allowed.split()) <= above, f"{room} imports {set(allowed.split()) - above}"
        above.add(room)


def test_every_room_is_there() -> None:
    seen = {room_of(source.module) for source in package_sources()}
    assert set(layers.ROOMS) <= seen


def test_every_room_says_what_it_is_for() -> None:
    """And what it may not know, in the first line of its package's docstring."""
    silent = [
        source.name
        for source in package_sources()
        if source.is_package and not (ast.get_docstring(source.tree) or "").split("\n")[0]
    ]
    assert not silent


def test_no_room_is_a_hall() -> None:
    count = collections.Counter(
        source.path.parent for source in package_sources() if not source.generated
    )
    # How many public modules there are is TensorFlow's to say.
    del count[ROOT / "dataflow"]
    halls = {str(folder): n for folder, n in count.items() if n > layers.MOST_FILES}
    assert not halls, f"more than {layers.MOST_FILES} files: {halls}"


@pytest.mark.parametrize(
    ("module", "room"),
    [
        ("dataflow", layers.FACES),
        ("dataflow.train", layers.FACES),
        ("dataflow.math.special", layers.FACES),
        ("dataflow.errors", "errors"),
        ("dataflow.graph.graph", "graph"),
        ("dataflow.ops.math.special", "ops.math"),
        ("dataflow.ops.load", "ops"),
        ("dataflow.kernels.ops.math.special", "kernels.ops"),
        ("dataflow.actors.direct", "actors"),
        ("dataflow.actors.fusion.compiled.steps", "actors.fusion.compiled"),
        ("dataflow.session.back_end", "session.back_end"),
        ("dataflow.newcomer.graph", None),
    ],
)
def test_room_of_a_module(module: str, room: str | None) -> None:
    assert room_of(module) == room


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
        ("dataflow/values/shapes.py", "import dataflow.graph.graph", "values may import proto"),
        ("dataflow/values/shapes.py", "from dataflow.graph import graph", "(graph)"),
        ("dataflow/schema/opdef.py", "def f():\n    from dataflow.graph.graph import G", "(graph)"),
        ("dataflow/ops/math/unary.py", "import dataflow.passes", "imports dataflow.passes (passes"),
        ("dataflow/ops/math/unary.py", "import dataflow.ops.nn", "(ops.nn); ops.math may import"),
        ("dataflow/ops/math/unary.py", "import dataflow", "imports dataflow (the public names)"),
        ("dataflow/ops/math/unary.py", "import dataflow.train", "(the public names)"),
        ("dataflow/passes/prune.py", "from dataflow.graph import graph", "(graph)"),
        ("dataflow/ops/math/unary.py", "import ray", "imports ray"),
        ("dataflow/ops/math/unary.py", "import scipy.special", "imports scipy"),
        ("dataflow/session/steps.py", "def f():\n    import dataflow.actors.direct", "(actors)"),
        ("dataflow/test.py", "def f():\n    import dataflow.actors.direct", "(actors)"),
        ("dataflow/test.py", "import importlib\nimportlib.import_module('cupy')", "cupy"),
        (
            "dataflow/graph/graph.py",
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import dataflow.session",
            "imports dataflow.session (session)",
        ),
        ("dataflow/graph/graph.py", "import pickle", "imports pickle"),
        ("dataflow/graph/graph.py", "import tensorflow", "imports tensorflow"),
        ("dataflow/graph/graph.py", "from typing_extensions import Self", "typing_extensions"),
        ("dataflow/newcomer/__init__.py", '"""A room."""', "is in no room"),
        ("actors/run/executor.py", "import ray", "imports ray"),
        ("actors/run/executor.py", "import dataflow.graph.graph", "(graph)"),
        ("actors/step/step.py", "import dataflow.actors.plan.plan", "(actors.plan)"),
        ("actors/transfers/lanes/lane.py", "import cupy", "imports cupy"),
        ("actors/ray/links/calls.py", "import cloudpickle", "imports cloudpickle"),
        ("kernels/ops/math/unary.py", "import cupy", "imports cupy"),
        ("kernels/ops/math/unary.py", "import dataflow.actors", "(actors)"),
        ("kernels/ops/math/unary.py", "from dataflow.graph.graph import Graph", "(graph)"),
        ("kernels/products/blas.py", "import dataflow.kernels.pooling.pools", "(kernels.pooling)"),
    ],
)
def test_upward_import_is_named(tmp_path: Path, name: str, text: str, reason: str) -> None:
    files = {
        "dataflow/graph/graph.py": "",
        "dataflow/passes/__init__.py": "",
        "dataflow/session/__init__.py": "",
        name: text,
    }
    (fault,) = violations(_sources(tmp_path, files))
    assert fault.startswith(f"{name}:")
    assert reason in fault


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("dataflow/ops/math/unary.py", "import os\nimport numpy\nfrom dataflow.values import a"),
        ("dataflow/session/back_end.py", "def connect():\n    import dataflow.actors.direct"),
        (
            "dataflow/graph/graph.py",
            "import typing\nif typing.TYPE_CHECKING:\n    from typing_extensions import Self",
        ),
        ("dataflow/test.py", "import dataflow.session.session\nimport dataflow.nn"),
        ("actors/ray/actors/shells.py", "import ray\nimport cloudpickle"),
        ("actors/devices/gpu.py", "import cupy"),
        ("actors/cores/device.py", "from dataflow.kernels.contract import registry"),
        ("kernels/gpu/math/special.py", "import cupy"),
        ("kernels/ops/math/unary.py", "import scipy.special\nimport dataflow.values.dtypes"),
    ],
)
def test_downward_import_passes(tmp_path: Path, name: str, text: str) -> None:
    assert violations(_sources(tmp_path, {"dataflow/graph/graph.py": "", name: text})) == []


def test_cycle_is_named(tmp_path: Path) -> None:
    files = {
        "dataflow/passes/cse.py": "from dataflow.passes import fold",
        "dataflow/passes/fold.py": "import dataflow.passes.cse",
        "dataflow/passes/place.py": "def f():\n    import dataflow.passes.prune",
        "dataflow/passes/prune.py": "import dataflow.passes.place",
        "dataflow/passes/__init__.py": "",
    }
    loops = cycles(_sources(tmp_path, files))
    assert loops == ["dataflow.passes.cse -> dataflow.passes.fold -> dataflow.passes.cse"]
