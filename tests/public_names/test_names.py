"""Our public names are TensorFlow's, but for those in the lists of this folder."""

from __future__ import annotations

import re
from collections import Counter
from types import ModuleType

import pytest

import dataflow
from dataflow.library.absent_names import ABSENT, ABSENT_IN_MODULES
from tests.public_names import lists
from tests.public_names.lists import found, ours, theirs
from tools.public_names import PublicName

_OF_2_ONLY = ("layout", "bad_indices_policy")
"""Parameters that TensorFlow 1 has not: where a DTensor lies, and what is done with indices out of
range. Newer versions put the latter before the name, which would break calls of TensorFlow 1."""

_ONE_KIND = {"property": "attribute"}


def test_what_is_missing_is_listed() -> None:
    absent = [path for path in theirs() if found(ours(), path) is None]
    unlisted = [path for path in absent if not lists.is_listed(path)]
    assert not unlisted, "no longer there, or new in TensorFlow:\n" + "\n".join(unlisted)


def test_what_is_listed_is_missing() -> None:
    wrong = sorted(lists.missing() - {*lists.still_missing()})
    assert not wrong, "there, or unknown; run python -m tests.public_names.lists: " + ", ".join(
        wrong
    )


def test_what_tensorflow_lacks_is_listed_with_a_reason() -> None:
    own = {path for path in ours() if found(theirs(), path) is None}
    listed = lists.reasons("additions.txt")
    unlisted = {path for path in own if not {path, path.rpartition(".")[0]} & listed.keys()}
    outermost = sorted(path for path in unlisted if path.rpartition(".")[0] not in unlisted)
    assert not outermost, "TensorFlow has no such names:\n" + "\n".join(outermost)
    assert listed.keys() <= own, f"not there: {sorted(listed.keys() - own)}"
    assert all(listed.values())


def test_signatures() -> None:
    differing = {}
    for path, name in theirs().items():
        have = found(ours(), path)
        if name.kind != "alias" and have is not None and (why := _difference(name, have)):
            differing[path] = why
    listed = lists.reasons("deviations.txt")
    unlisted = [f"{path}: {why}" for path, why in differing.items() if path not in listed]
    assert not unlisted, "called differently:\n" + "\n".join(unlisted)
    same = sorted(listed.keys() - differing)
    assert not same, f"take out of deviations.txt, they are called alike: {same}"
    assert all(listed.values())


def _difference(theirs: PublicName, ours: PublicName) -> str | None:
    kinds = [_ONE_KIND.get(name.kind, name.kind) for name in (theirs, ours)]
    if kinds[0] != kinds[1]:
        return f"is a {kinds[1]} instead of a {kinds[0]}"
    if "property" in (theirs.kind, ours.kind):
        return None
    if kinds[0] not in ("function", "class", "method"):
        return None if theirs.text == ours.text else f"is {ours.text} instead of {theirs.text}"
    if "?" in (theirs.text, ours.text):
        return None
    want, have = (_parameters(name) for name in (theirs, ours))
    return None if want == have else f"takes ({', '.join(have)}) instead of ({', '.join(want)})"


def _parameters(name: PublicName) -> list[str]:
    """What a call may say; TensorFlow often does not tell what must be said by name."""
    return [
        parameter
        for parameter in lists.parameters(lists.signature(name))
        if parameter != "*" and parameter.partition("=")[0] not in _OF_2_ONLY
    ]


def test_two_names_of_one_thing_are_one_thing() -> None:
    apart = [
        f"{path} and {name.text}"
        for path, name in theirs().items()
        if name.kind == "alias"
        and path in ours()
        and name.text in ours()
        and _first(path) != _first(name.text)
    ]
    assert not apart, "one in TensorFlow: " + "; ".join(apart)


def _first(path: str) -> str:
    name = ours()[path]
    return name.text if name.kind == "alias" else path


def test_bases() -> None:
    strange = [
        f"{path} is no {base}"
        for path, name in theirs().items()
        if name.kind == "class" and path in ours() and ours()[path].kind == "class"
        for base in lists.bases(name)
        if base in ours() and base not in lists.bases(ours()[path])
    ]
    assert not strange, "; ".join(strange)


def test_coverage() -> None:
    """Prints how many names of each module are there; the sum is that of the lists."""
    names = [path for path, name in theirs().items() if path.rpartition(".")[0] in _modules()]
    there = Counter(path.rpartition(".")[0] for path in names if found(ours(), path) is not None)
    wanted = Counter(path.rpartition(".")[0] for path in names)
    print()
    for module, count in sorted(wanted.items()):
        print(f"{module:40} {there[module]:5} of {count:5}")
    print(f"{'all':40} {there.total():5} of {wanted.total():5}")
    assert there.total() == sum(not lists.is_listed(path) for path in names)


def _modules() -> set[str]:
    return {"tf", *(path for path, name in theirs().items() if name.kind == "module")}


def test_a_name_that_is_not_there_says_so() -> None:
    top = {path.removeprefix("tf.") for path in lists.missing() if path.count(".") == 1}
    assert top == ABSENT
    for name in sorted(ABSENT):
        with pytest.raises(AttributeError, match=rf"tf\.{name} is .* not implemented") as caught:
            getattr(dataflow, name)
        assert caught.value.name == ""
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = dataflow.nothing


def test_a_name_that_is_not_in_a_module_says_so() -> None:
    """A name that the table has and that is there is an attribute before it is looked for."""
    for path in sorted(lists.missing()):
        _, *module, name = path.split(".")
        found = getattr(dataflow, module[0], None) if len(module) == 1 else None
        if isinstance(found, ModuleType) and found not in (dataflow.compat, dataflow.raw_ops):
            with pytest.raises(AttributeError, match=rf"{re.escape(path)} is .* not implemented"):
                getattr(found, name)
    for module, names in ABSENT_IN_MODULES.items():
        assert {f"tf.{module}.{name}" for name in names.split()} <= lists.missing()
    with pytest.raises(AttributeError, match=r"module 'dataflow\.nn' has no"):
        _ = dataflow.nn.nothing
