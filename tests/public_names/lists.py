"""The lists of names in this folder.

`python -m tests.public_names.lists` takes what is there now out of `missing.txt` and of
`left_out_ops.txt`.
"""

from __future__ import annotations

import functools
from pathlib import Path

import dataflow
from dataflow.schema.opdef import find
from tools.public_names import GOLDEN, PublicName, public_names

FOLDER = Path(__file__).parent


@functools.cache
def theirs() -> dict[str, PublicName]:
    """TensorFlow's names."""
    return PublicName.read(GOLDEN.read_text(encoding="utf-8"))


@functools.cache
def ours() -> dict[str, PublicName]:
    """The names of this library."""
    return public_names(dataflow)


@functools.cache
def missing() -> frozenset[str]:
    """Names of TensorFlow's that `missing.txt` lists."""
    return frozenset((FOLDER / "missing.txt").read_text(encoding="utf-8").split())


@functools.cache
def reasons(file: str) -> dict[str, str]:
    """Names and why they are listed, of any file but `missing.txt`."""
    lines = (FOLDER / file).read_text(encoding="utf-8").splitlines()
    return {name: why for name, _, why in (line.partition(": ") for line in lines)}


def still_missing() -> list[str]:
    """What `missing.txt` should list: without what is there; a module gives way to its names."""
    return [
        path
        for path in theirs()
        if is_listed(path)
        and found(ours(), path) is None
        and (path.count(".") == 1 or found(ours(), path.rpartition(".")[0]) is not None)
    ]


def their_ops() -> set[str]:
    """The types of TensorFlow's ops."""
    module = "tf.raw_ops."
    return {path[len(module) :] for path in theirs() if path.startswith(module)}


def is_listed(path: str) -> bool:
    """True if a name, or the class or module it is in, is listed as missing."""
    return path in missing() or any(path.startswith(f"{each}.") for each in _outer(path))


def _outer(path: str) -> list[str]:
    parts = path.split(".")
    outer = [".".join(parts[:length]) for length in range(2, len(parts))]
    return [each for each in outer if each in missing()]


def found(names: dict[str, PublicName], path: str) -> PublicName | None:
    """What stands at a path, through aliases and the public bases of classes."""
    if path in names:
        name = names[path]
        return names[name.text] if name.kind == "alias" else name
    owner, _, member = path.rpartition(".")
    if owner in names:
        cls = found(names, owner)
        assert cls is not None
        if cls.kind == "class":
            where = names[owner].text if names[owner].kind == "alias" else owner
            for each in (where, *bases(cls)):
                if f"{each}.{member}" in names:
                    return names[f"{each}.{member}"]
    return None


def bases(cls: PublicName) -> list[str]:
    """The public bases of a class."""
    return cls.text[len(signature(cls)) :].split()


def signature(name: PublicName) -> str:
    """How a function or class is called."""
    depth = 0
    for index, letter in enumerate(name.text):
        depth += (letter == "(") - (letter == ")")
        if not depth:
            return name.text[: index + 1]
    return name.text


def parameters(text: str) -> list[str]:
    """The parameters of a signature, each with its default."""
    parts, depth = [""], 0
    for letter in text[1:-1]:
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


if __name__ == "__main__":
    (FOLDER / "missing.txt").write_text("\n".join(still_missing()) + "\n", encoding="utf-8")
    left_out = {op: why for op, why in reasons("left_out_ops.txt").items() if not find(op)}
    text = "".join(f"{op}: {why}\n" for op, why in sorted(left_out.items()))
    (FOLDER / "left_out_ops.txt").write_text(text, encoding="utf-8")
