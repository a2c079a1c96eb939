"""What TensorFlow's own tests are made of, against what TensorFlow has."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle
from tensorflow.core.framework.tensor_shape_pb2 import TensorShapeProto
from tensorflow.python.data.util import convert
from tensorflow.python.framework import (
    common_shapes,
    device,
    registry,
    tensor_util,
    test_combinations,
)
from tensorflow.python.ops import list_ops
from tensorflow.python.util import lock_util, object_identity, serialization

import dataflow as tf
from dataflow.porting.spellings import devices
from dataflow.porting.spellings.data import conversions
from dataflow.porting.spellings.distributions import statistics
from dataflow.porting.spellings.framework import combinations, folding, registries, shapes, tensors
from dataflow.porting.spellings.ops import lists
from dataflow.porting.spellings.util import identity, locks, messages


class _Named:
    def get_config(self) -> dict[str, int]:
        return {"units": 3}


def _registered(module: Any, lib: Any) -> Any:
    found = module.Registry("things")
    found.register(len, "length")
    found.register(max)
    return sorted(found.list()), found.lookup("length"), found.lookup(b"max")


def _registered_twice(module: Any, lib: Any) -> Any:
    found = module.Registry("things")
    found.register(len)
    found.register(len)


def _looked_up(module: Any, lib: Any) -> Any:
    module.Registry("things").lookup("nothing")


def _kept(module: Any, lib: Any) -> Any:
    first, second = [1], [1]
    found = module.ObjectIdentitySet([first, second, first])
    named = module.ObjectIdentityDictionary()
    named[first], named[second] = "a", "b"
    weak = module.ObjectIdentityWeakSet([_Named()])
    found.discard(second)
    reference = module.Reference(first)
    return (
        len(found),
        first in found,
        second in found,
        named[second],
        len(named),
        len(weak),
        reference.deref() is first,
        reference == module.Reference(second),
    )


def _locked(module: Any, lib: Any) -> Any:
    lock = module.GroupLock(num_groups=2)
    order = []

    def other() -> None:
        with lock.group(1):
            order.append("other")

    with lock.group(0), lock.group(0):
        thread = threading.Thread(target=other)
        thread.start()
        order.append("first")
    thread.join()
    return order


def _broadcast(module: Any, lib: Any) -> Any:
    pairs = [([1, 2], [3, 1]), ([None], [4]), ([5], []), (None, [2]), ([None], [1]), ([2], [3])]
    found: list[Any] = []
    for pair in pairs:
        x, y = (lib.TensorShape(each) for each in pair)
        compatible = module.is_broadcast_compatible(x, y)
        found.append(compatible)
        if compatible:
            found.append(module.broadcast_shape(x, y).as_list())
    return found


def _merged(module: Any, lib: Any) -> Any:
    graph = lib.Graph()
    with graph.as_default(), graph.device(module.merge_device("/device:GPU:0")):
        names = [lib.no_op().device]
        with graph.device(module.merge_device("/job:worker")):
            names.append(lib.no_op().device)
            with graph.device(module.merge_device(None)):
                names.append(lib.no_op().device)
    return names, module.canonical_name(lib.DeviceSpec(job="foo", replica=0))


def _equal_shapes(module: Any, lib: Any) -> Any:
    proto = lib.make_tensor_proto([[1, 2]])
    kind = type(proto.tensor_shape)
    as_message = kind(dim=[kind.Dim(size=1), kind.Dim(size=2)])
    return module.ShapeEquals(proto, [1, 2]), module.ShapeEquals(proto, as_message)


def _listed(module: Any, lib: Any) -> Any:
    with lib.Graph().as_default(), lib.Session() as session:
        made = module.tensor_list_from_tensor([[1.0, 2.0], [3.0, 4.0]], element_shape=[2])
        shorter, last = module.tensor_list_pop_back(made, element_dtype=lib.float32)
        longer = module.tensor_list_set_item(
            shorter, 2, [5.0, 6.0], resize_if_index_out_of_bounds=True
        )
        reserved = module.tensor_list_reserve([], 2, lib.float32)
        reserved = module.tensor_list_set_item(reserved, 1, 7.0)
        scattered = module.tensor_list_scatter([8.0, 9.0], [1, 0], element_shape=[])
        split = module.tensor_list_split([1.0, 2.0, 3.0], [None], lengths=[2, 1])
        empty = module.empty_tensor_list([None, 2], lib.float32, max_num_elements=1)
        outs = [
            last,
            module.tensor_list_get_item(longer, 2, element_dtype=lib.float32),
            module.tensor_list_get_item(reserved, 1, element_dtype=lib.float32, element_shape=[]),
            module.tensor_list_stack(scattered, element_dtype=lib.float32),
            module.tensor_list_concat(split, element_dtype=lib.float32, element_shape=[None]),
            module.tensor_list_gather(made, [1], element_dtype=lib.float32),
            lib.raw_ops.TensorListLength(input_handle=empty),
            lib.convert_to_tensor(module._build_element_shape(lib.TensorShape([]))),
        ]
        plain = [module._build_element_shape(s) for s in (None, [None, 5], lib.TensorShape(None))]
        kinds = [op.type for op in longer.graph.get_operations() if op.type.startswith("Tensor")]
        return [each.tolist() for each in session.run(outs)], plain, kinds


def _combined(module: Any, lib: Any) -> Any:
    both = module.times(module.combine(b=[1, 2], a="x"), module.combine(c=True))
    return [dict(each) for each in both], str(module.NamedObject("name", 3))


def _combined_twice(module: Any, lib: Any) -> Any:
    module.times(module.combine(a=1), module.combine(a=2))


def _converted(module: Any, lib: Any) -> Any:
    with lib.Graph().as_default(), lib.Session() as session:
        outs = [
            module.optional_param_to_tensor("n", None, 3),
            module.optional_param_to_tensor("n", 4),
            module.partial_shape_to_tensor([2, None]),
            module.partial_shape_to_tensor(lib.constant([2, 3], lib.int64)),
        ]
        return [(each.dtype.name, session.run(each).tolist()) for each in outs]


def _written(module: Any, lib: Any) -> Any:
    values = (_Named(), np.float32(1.5), np.arange(2), len, int, lib.TensorShape([1, None]))
    return [module.get_json_type(value) for value in values]


PROGRAMS: dict[str, tuple[Callable[[Any, Any], Any], Any, Any]] = {
    "registry": (_registered, registry, registries),
    "name taken": (_registered_twice, registry, registries),
    "name unknown": (_looked_up, registry, registries),
    "identity": (_kept, object_identity, identity),
    "lock": (_locked, lock_util, locks),
    "broadcast": (_broadcast, common_shapes, shapes),
    "devices": (_merged, device, devices),
    "shapes": (_equal_shapes, tensor_util, tensors),
    "lists": (_listed, list_ops, lists),
    "combinations": (_combined, test_combinations, combinations),
    "combined twice": (_combined_twice, test_combinations, combinations),
    "arguments": (_converted, convert, conversions),
    "json": (_written, serialization, messages),
}


@pytest.mark.parametrize(("program", "theirs", "ours"), PROGRAMS.values(), ids=PROGRAMS.keys())
def test_same_as_tensorflows(program: Callable[[Any, Any], Any], theirs: Any, ours: Any) -> None:
    assert _result(program, ours, tf) == _result(program, theirs, oracle)


def _result(program: Callable[[Any, Any], Any], module: Any, lib: Any) -> Any:
    try:
        return program(module, lib)
    except (KeyError, LookupError, ValueError) as error:
        return type(error).__name__


def test_statistics_tell_distributions_apart() -> None:
    random = np.random.default_rng(0)
    normal, uniform = random.normal(size=20_000), random.uniform(size=20_000)
    assert statistics.anderson_darling(normal) < 2.5 < statistics.anderson_darling(uniform)
    assert statistics.chi_squared(uniform, 10) < 30 < statistics.chi_squared(uniform**2, 10)
    truncated = normal[np.abs(normal) < 2]
    compare = np.testing.assert_allclose
    options = {"mean_atol": 0.03, "median_atol": 0.03, "variance_rtol": 0.05}
    count = len(truncated)
    statistics.test_truncated_normal(np.testing.assert_equal, compare, count, truncated, **options)
    with pytest.raises(AssertionError):
        statistics.test_truncated_normal(
            np.testing.assert_equal, compare, count, truncated / 2, **options
        )


def test_shapes_of_messages_are_checked() -> None:
    with pytest.raises(TypeError, match=r"not a tensor_pb2\.TensorProto object"):
        tensors.ShapeEquals(TensorShapeProto(), [1])
    with pytest.raises(TypeError, match="shape is not a list or tuple"):
        tensors.ShapeEquals(tf.make_tensor_proto(1), "1")


def test_what_is_known_before_a_step_becomes_a_constant() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [2], name="x")
        known = tf.add(tf.range(3.0), 1.0, name="known")
        found = folding.grappler_optimize(graph, [known])
        assert [node.name for node in found.node] == ["known"]
        assert tf.make_ndarray(found.node[0].attr["value"].tensor).tolist() == [1, 2, 3]
        drawn = tf.random.uniform([2])
        found = folding.grappler_optimize(graph, [tf.identity(x, name="fed"), drawn])
        assert {"x", "fed", drawn.op.name} <= {node.name for node in found.node}
