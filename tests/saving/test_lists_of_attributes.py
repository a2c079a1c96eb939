"""Lists and dictionaries that become attributes of what checkpoints hold."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tensorflow.compat.v1 as oracle

import dataflow as tf
from dataflow.porting.spellings import trackables as structures
from dataflow.porting.spellings.util import messages


def _keys(lib: Any, change: Callable[[Any, Any], Any], folder: Path) -> list[str] | str:
    """The keys of a checkpoint after a change to a list and a dictionary in it, or the refusal."""
    with lib.Graph().as_default(), lib.Session() as session:
        checkpoint = lib.train.Checkpoint()
        variable = lib.Variable(1.0, name="v", use_resource=True)
        checkpoint.l = [variable, [1]]
        checkpoint.d = {"a": variable}
        change(checkpoint, variable)
        session.run(lib.global_variables_initializer())
        try:
            path = checkpoint.write(str(folder / lib.__name__), session)
        except ValueError as error:
            # The last sentence names what 2.21 has in the place of NoDependency.
            return str(error).split("\n\n")[0]
    return sorted(name for name, _ in oracle.train.list_variables(path))


def _outside(checkpoint: Any, variable: Any) -> None:
    plain = [variable]
    checkpoint.l = plain
    plain.append(variable)


@pytest.mark.parametrize(
    "change",
    [
        lambda c, v: c.l.append(v),
        lambda c, v: c.l[1].append({"k": [v]}),
        lambda c, v: c.l.pop(0),
        lambda c, v: c.l.__setitem__(0, 3),
        lambda c, v: c.l.__setitem__(slice(0, 1), [v]),
        lambda c, v: c.l.insert(0, v),
        lambda c, v: c.d.__setitem__("b", v),
        lambda c, v: c.d.__setitem__(3, v),
        lambda c, v: c.d.__setitem__(3, 4),
        lambda c, v: c.d.pop("a"),
        lambda c, v: c.d.update(b=3, c=v),
        _outside,
    ],
)
def test_only_what_grows_is_saved(change: Callable[[Any, Any], Any], tmp_path: Path) -> None:
    assert _keys(tf, change, tmp_path) == _keys(oracle, change, tmp_path)


def test_refusals_say_what_to_do(tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        checkpoint = tf.train.Checkpoint()
        checkpoint.l = [1]
        del checkpoint.l[0]
        with pytest.raises(ValueError, match=r"contrib\.checkpoint\.NoDependency object"):
            checkpoint.write(str(tmp_path / "c"), session)
        # What is set apart is changed as one likes.
        checkpoint.l = tf.contrib.checkpoint.NoDependency([1])
        assert type(checkpoint.l) is list
        del checkpoint.l[0]
        session.run(tf.global_variables_initializer())
        checkpoint.write(str(tmp_path / "c"), session)


def test_wrapped_lists_are_lists() -> None:
    plain = [1, [2]]
    wrapper = structures.ListWrapper(plain)
    assert isinstance(wrapper, list)
    assert wrapper == [1, [2]]
    assert repr(wrapper) == "ListWrapper([1, ListWrapper([2])])"
    wrapper.append(3)
    assert plain == [1, [2], 3]
    before = [0]
    assert before + wrapper == [0, 1, [2], 3]
    assert type(wrapper[:1]) is list
    assert wrapper * 2 == plain + plain
    assert tf.nest.flatten(wrapper) == [1, 2, 3]
    assert type(tf.nest.map_structure(str, wrapper)) is structures.ListWrapper
    loaded = pickle.loads(pickle.dumps(wrapper))  # noqa: S301
    for copied in (copy.copy(wrapper), copy.deepcopy(wrapper), loaded):
        assert type(copied) is structures.ListWrapper
        assert copied == wrapper
    with pytest.raises(TypeError, match="unhashable type: 'ListWrapper'"):
        hash(wrapper)


def test_wrapped_dictionaries_pass_for_them() -> None:
    plain = {"a": [1]}
    wrapper = structures._DictWrapper(plain)
    assert isinstance(wrapper, dict)
    assert isinstance(wrapper, structures._DictWrapper)
    assert wrapper == {"a": [1]}
    assert {**wrapper} == plain
    wrapper.update(b=2)
    assert plain["b"] == 2
    assert wrapper.pop("b") == 2
    assert (str(wrapper), repr(wrapper)) == (
        "{'a': ListWrapper([1])}",
        "DictWrapper({'a': ListWrapper([1])})",
    )
    assert type(tf.nest.map_structure(str, wrapper)) is structures._DictWrapper
    loaded = pickle.loads(pickle.dumps(wrapper))  # noqa: S301
    for copied in (copy.copy(wrapper), copy.deepcopy(wrapper), loaded):
        assert type(copied) is structures._DictWrapper
        assert copied == wrapper
    with pytest.raises(TypeError, match="unhashable type: 'DictWrapper'"):
        hash(wrapper)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda given: given.__delitem__(0), "Unable to save .*__delitem__"),
        (lambda given: given.sort(), "Unable to save .*sort"),
        (lambda given: given.__imul__(-1), "Unable to save"),
    ],
)
def test_dependencies_are_refused(change: Callable[[Any], Any], text: str) -> None:
    # What 1.15 refuses of lists without anything to save, too.
    wrapper = structures.ListWrapper([[1], [2]])
    wrapper._maybe_initialize_trackable()
    assert [each.name for each in wrapper._checkpoint_dependencies] == ["0", "1"]
    change(wrapper)
    with pytest.raises(ValueError, match=text):
        _ = wrapper._checkpoint_dependencies
    with pytest.raises(ValueError, match=text):
        structures.list_objects(copy.deepcopy(wrapper))


def test_plain_items_may_be_replaced() -> None:
    wrapper = structures.ListWrapper([1, 2, 3])
    wrapper[0] = 5
    wrapper[1:] = [6, 7, 8]
    assert wrapper == [5, 6, 7, 8]
    assert wrapper._checkpoint_dependencies == []


def test_copies_of_objects() -> None:
    root = structures.AutoTrackable()
    part = structures.AutoTrackable()
    root.parts, root.named = [[1.0]], {"a": part}
    copied = copy.deepcopy(root)
    found = structures.list_objects(copied)
    assert any(each is copied.named["a"] for each in found)
    assert not any(each is part for each in found)
    assert copy.copy(root).named["a"] is part


def test_wrappers_stand_for_lists_in_operations() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        root = structures.AutoTrackable()
        root.named = {"a": tf.constant(1), "l": [tf.constant(2), tf.constant(3)]}
        assert session.run(root.named) == {"a": 1, "l": [2, 3]}
        assert session.run(tf.stack(root.named["l"])).tolist() == [2, 3]
        shape = structures.ListWrapper([2, None])
        assert tf.placeholder(tf.float32, shape).shape.as_list() == [2, None]
        named = structures._DictWrapper({"a": [2]})
        assert json.dumps(named, default=messages.get_json_type) == '{"a": [2]}'


@pytest.mark.parametrize("kind", ["Layer", "Model", "Module"])
def test_attributes_are_wrapped(kind: str) -> None:
    base: Any = tf.Module if kind == "Module" else getattr(tf.keras, kind, tf.keras.layers.Layer)

    class Own(base):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.steps = [tf.Variable(1.0)]
            self.named: Any = {}
            self.named["x"] = tf.Variable(2.0)

    with tf.Graph().as_default():
        own = Own()
        assert type(own.steps) is structures.ListWrapper
        assert type(own.named) is structures._DictWrapper
        # In 1.15 a layer has the variables that were there when it got the list.
        assert len(own.variables) == (1 if kind == "Layer" else 2)


@pytest.mark.parametrize("library", [tf, oracle])
def test_a_module_sets_attributes_apart(library: Any, tmp_path: Path) -> None:
    class Own(library.Module):  # type: ignore[misc]
        def __init__(self, variable: Any) -> None:
            super().__init__()
            self.apart = self._no_dependency({"a": variable})
            self.within = {"a": variable}

    with library.Graph().as_default(), library.Session() as session:
        own = Own(library.Variable(1.0, use_resource=True))
        assert type(own.apart) is dict and type(own.within) is not dict
        assert [*type(own.apart)(b=2)] == ["b"]
        session.run(library.global_variables_initializer())
        path = library.train.Checkpoint(own=own).write(str(tmp_path / "c"), session)
    assert [key for key, _ in library.train.list_variables(path) if "VARIABLE" in key] == [
        "own/within/a/.ATTRIBUTES/VARIABLE_VALUE"
    ]


def test_models_of_tensors_take_in_nothing_more() -> None:
    # Values of 1.15.
    with tf.Graph().as_default():
        given = tf.keras.Input([2])
        model = tf.keras.Model(given, tf.keras.layers.Dense(1)(given))
        model.more = tf.keras.layers.Dense(3)
        model.names = ["a"]
        assert len(model.layers) == 2
        assert type(model.names) is list


def test_configurations_have_wrapped_lists() -> None:
    config = tf.keras.layers.BatchNormalization(axis=[3]).get_config()
    assert repr(config["axis"]) == "ListWrapper([3])"
