"""Runs a model on values from the command line and from files, and times it."""

from __future__ import annotations

import ast
import time
import zipfile
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from statistics import median
from typing import Any

import numpy as np

from dataflow.command.models import Model, Signature, Value
from dataflow.errors import FailedPreconditionError, InvalidArgumentError
from dataflow.graph.graph import Graph
from dataflow.library.program.progress import progress
from dataflow.session.session import Session


@dataclass(frozen=True)
class Call:
    """What is fed and fetched."""

    feeds: tuple[str, ...] = ()
    """NAME=VALUE, or NAME=@FILE.npy: the name of an input in the signature, or of a tensor."""
    fetches: tuple[str, ...] = ()
    signature: str | None = None
    target: str = ""
    repeat: int = 1
    warm_up: int = 0
    batch: int | None = None
    """Inputs that are not fed get random values, this many where the first size is not known."""


@dataclass(frozen=True)
class Outcome:
    """What came of it."""

    values: Mapping[str, np.ndarray]
    """Of the last run."""
    seconds: tuple[float, ...]
    """Of each run."""
    feeds: Mapping[str, np.ndarray] = field(default_factory=dict)
    """By the names of tensors."""
    fetches: tuple[str, ...] = ()
    """Names of tensors."""

    def summary(self) -> dict[str, float]:
        """Milliseconds: the median, the least, the ninth of ten and the most."""
        ordered = sorted(1000 * each for each in self.seconds)
        ninth = ordered[min(len(ordered) - 1, int(0.9 * len(ordered)))]
        return {
            "median_ms": median(ordered),
            "min_ms": ordered[0],
            "p90_ms": ninth,
            "max_ms": ordered[-1],
        }


def run_model(model: Model, call: Call, config: Any = None) -> Outcome:
    """Loads a model and runs it.

    Raises:
      InvalidArgumentError: A feed is malformed or lacking, or a name is unknown.
    """
    with Graph().as_default() as graph, Session(call.target, graph=graph, config=config) as session:
        model.load(session)
        signature = model.signature(call.signature)
        fetches = _fetches(graph, signature, call)
        needed = _needed(fetches.values())
        if model.meta_graph is None:
            _check_has_values(model, needed)
        feeds = _feeds(graph, signature, call, needed)
        for _ in range(call.warm_up):
            session.run(fetches, feeds)
        seconds = []
        values: Any = {}
        repeat = max(call.repeat, 1)
        with progress("Runs", repeat) if repeat > 1 else nullcontext(lambda: None) as advance:
            for _ in range(repeat):
                begin = time.perf_counter()
                values = session.run(fetches, feeds)
                seconds.append(time.perf_counter() - begin)
                advance()
        return Outcome(
            {key: np.asarray(value) for key, value in values.items()},
            tuple(seconds),
            {tensor.name: value for tensor, value in feeds.items()},
            tuple(tensor.name for tensor in fetches.values()),
        )


def _tensor(graph: Graph, values: Mapping[str, Value], name: str) -> Any:
    wanted = values[name].name if name in values else name
    wanted = wanted if ":" in wanted else f"{wanted}:0"
    try:
        return graph.get_tensor_by_name(wanted)
    except (KeyError, ValueError):
        there = ", ".join(values) or "none"
        raise InvalidArgumentError(
            None, None, f"there is no tensor '{name}'; the signature has: {there}"
        ) from None


def _fetches(graph: Graph, signature: Signature, call: Call) -> dict[str, Any]:
    names = call.fetches or tuple(signature.outputs)
    if not names:
        raise InvalidArgumentError(None, None, "nothing is fetched: name a tensor by --fetch")
    return {name: _tensor(graph, signature.outputs, name) for name in names}


def _needed(tensors: Iterable[Any]) -> set[Any]:
    """The operations that some tensors are computed from."""
    pending = [tensor.op for tensor in tensors]
    found: set[Any] = set()
    while pending:
        op = pending.pop()
        if op not in found:
            found.add(op)
            pending.extend(tensor.op for tensor in op.inputs)
            pending.extend(op.control_inputs)
    return found


def _check_has_values(model: Model, needed: Iterable[Any]) -> None:
    for op in needed:
        if op.type in ("Variable", "VariableV2", "VarHandleOp"):
            raise FailedPreconditionError(
                None,
                None,
                f"{model.path} has no value for the variable '{op.name}': give the MetaGraph that "
                "lies beside a checkpoint, a SavedModel, or a frozen graph",
            )


def _feeds(
    graph: Graph, signature: Signature, call: Call, needed: Collection[Any]
) -> dict[Any, Any]:
    found: dict[Any, Any] = {}
    for text in call.feeds:
        name, separator, value = text.partition("=")
        if not separator or not name:
            raise InvalidArgumentError(None, None, f"--feed {text}: it is NAME=VALUE or NAME=@FILE")
        tensor = _tensor(graph, signature.inputs, name)
        found[tensor] = _value(name, value, tensor)
    for name in signature.inputs:
        tensor = _tensor(graph, signature.inputs, name)
        if tensor in found or tensor.op not in needed or tensor.op.type == "PlaceholderWithDefault":
            continue
        if call.batch is None:
            shape = "unknown shape" if tensor.shape.rank is None else f"shape {tensor.shape}"
            raise InvalidArgumentError(
                None,
                None,
                f"the input '{name}' ({tensor.dtype.base_dtype.name}, {shape}) is not fed: "
                f"--feed {name}=@FILE.npy",
            )
        found[tensor] = _random(tensor, call.batch)
    return found


def _value(name: str, text: str, tensor: Any) -> np.ndarray:
    kind = tensor.dtype.base_dtype.as_numpy_dtype
    if text.startswith("@"):
        return _from_file(name, text[1:])
    try:
        parsed = ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        parsed = text
    try:
        return np.array(parsed, kind)
    except (ValueError, TypeError, OverflowError) as error:
        raise InvalidArgumentError(None, None, f"--feed {name}={text}: {error}") from None


def _from_file(name: str, path: str) -> np.ndarray:
    try:
        # numpy leaves a file open that is neither an array nor an archive.
        with open(path, "rb") as file:
            loaded = np.load(file, allow_pickle=False)
            if isinstance(loaded, np.ndarray):
                return loaded
            with loaded as archive:
                key = name if name in archive.files else archive.files[0]
                array: np.ndarray = archive[key]
                return array
    except FileNotFoundError:
        raise InvalidArgumentError(None, None, f"--feed {name}=@{path}: no such file") from None
    except (ValueError, OSError, EOFError, IndexError, zipfile.BadZipFile) as error:
        raise InvalidArgumentError(
            None, None, f"--feed {name}=@{path}: no array of numpy's: {error}"
        ) from None


def _random(tensor: Any, batch: int) -> np.ndarray:
    """Values between 0 and 1; sizes that are not known are 1, but for the first."""
    known = [] if tensor.shape.rank is None else tensor.shape.as_list()
    sizes = [1 if size is None else size for size in known]
    if known and known[0] is None:
        sizes[0] = batch
    dtype = tensor.dtype.base_dtype
    generator = np.random.default_rng(0)
    if dtype.name == "string":
        return np.full(sizes, b"", object)
    if dtype.is_floating or dtype.is_complex:
        return generator.random(sizes).astype(dtype.as_numpy_dtype)
    return generator.integers(0, 2, sizes).astype(dtype.as_numpy_dtype)


def write_values(path: str, values: Mapping[str, np.ndarray]) -> None:
    """Writes arrays as an npz archive, or the only one as npy."""
    with open(path, "wb") as file:
        if path.endswith(".npy") and len(values) == 1:
            np.save(file, next(iter(values.values())), allow_pickle=False)
        else:
            named: dict[str, Any] = {key.replace("/", "_"): each for key, each in values.items()}
            np.savez(file, **named)


def described(value: np.ndarray, most: int = 10) -> Any:
    """A value for people: its first numbers."""
    flat = value.reshape(-1)[:most]
    return [
        each.decode(errors="replace") if isinstance(each, bytes) else each for each in flat.tolist()
    ]


def devices_of(target: str) -> Sequence[Any]:
    """The devices of a target."""
    with Session(target, graph=Graph()) as session:
        found: Sequence[Any] = session.list_devices()
        return found
