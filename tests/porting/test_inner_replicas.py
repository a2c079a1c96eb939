"""Tasks, devices and values of replicas, as programs ask for them inside of tf.distribute."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle

import dataflow as tf
from dataflow.porting.modules import TensorflowModule
from tests.oracle import open_session


def inside(library: Any, path: str) -> Any:
    path = f"tensorflow.python.distribute.{path}"
    return TensorflowModule(path) if library is tf else importlib.import_module(path)


CLUSTERS: list[Any] = [
    {"chief": ["a:1"], "worker": ["b:1", "c:1"], "ps": ["d:1"]},
    {"worker": ["b:1", "c:1"], "evaluator": ["e:1"]},
    {"chief": ["a:1", "b:1"], "worker": ["c:1"]},
    {"evaluator": ["a:1", "b:1"]},
    {},
    None,
    7,
]
TASKS = [("chief", 0), ("worker", 0), ("worker", 1), ("worker", 2), ("ps", 0), ("evaluator", 0)]
QUESTIONS = "is_chief collective_leader worker_count id_in_cluster"


def told(call: Callable[[], Any]) -> Any:
    try:
        return call()
    except (ValueError, KeyError) as error:
        return str(error)


def answers(library: Any) -> dict[Any, Any]:
    module, found = inside(library, "multi_worker_util"), {}
    for name in QUESTIONS.split():
        function = getattr(module, name)
        for number, cluster in enumerate(CLUSTERS):
            for task in [*TASKS, ("other", 0), (None, 0)]:
                given = task[:1] if name == "worker_count" else task
                ask = lambda f=function, c=cluster, t=given: told(lambda: f(c, *t))  # noqa: E731
                found[name, number, task] = ask()
    found["spec"] = [
        module.normalize_cluster_spec(given).as_dict()
        for given in (CLUSTERS[0], library.train.ClusterSpec(CLUSTERS[1]))
    ]
    found["context"] = module.has_worker_context()
    return found


def test_parts_of_tasks() -> None:
    ours, theirs = answers(tf), answers(oracle)
    # 2 knows tasks that 1.15 does not, and says so in its texts; an evaluator need not be named.
    for name, number, task in [key for key in ours if len(key) == 3]:
        is_other = task[0] in ("other", "evaluator", None)
        if CLUSTERS[number] and not is_other:
            assert ours[name, number, task] == theirs[name, number, task]
    assert (ours["spec"], ours["context"]) == (theirs["spec"], theirs["context"])
    evaluator = "evaluator", 0
    kept = ("is_chief", 1), ("collective_leader", 1), ("id_in_cluster", 1), ("is_chief", 0)
    assert [ours[(*key, evaluator)] for key in kept] == [
        *(True, "", 0),
        "`task_type` 'evaluator' not found in cluster_spec.",
    ]
    assert ours["is_chief", 5, ("chief", 0)].startswith("None of `cluster_spec`, `task_type`")
    assert (ours["collective_leader", 4, ("chief", 0)], ours["is_chief", 4, ("chief", 0)]) == (
        *("", "`task_type` 'chief' not found in cluster_spec."),
    )
    assert ours["worker_count", 3, evaluator] == "There must be at most one 'evaluator' job."
    assert ours["is_chief", 0, ("other", 0)] == (
        'Unrecognized task_type: \'other\', valid task types are: "chief", "worker", '
        '"evaluator" and "ps".'
    )


def devices(library: Any) -> list[Any]:
    module, found = inside(library, "device_util"), []
    names = ["", "/cpu:0", "/device:GPU:1", "/job:ps/task:2", "/job:worker/replica:0/task:1/cpu:0"]
    with library.Graph().as_default():
        for default in (None, "/job:worker", "/job:worker/task:1/device:GPU:3"):
            found += [module.canonicalize(name, default) for name in names]
        found += [module.current(), module.resolve("/cpu:0")]
        with library.device("/job:worker/task:3"), library.device("/gpu:2"):
            found += [module.current(), module.resolve(""), module.resolve("/job:ps")]
        found.append(len(library.get_default_graph().get_operations()))
    found += [module.get_host_for_device(n) for n in ("/job:ps/task:2/gpu:1", "/gpu:0")]
    return [*found, *map(module.local_devices_from_num_gpus, (0, 2))]


def test_names_of_devices() -> None:
    assert devices(tf) == devices(oracle)


def combined(library: Any) -> list[Any]:
    module = inside(library, "cross_device_utils")
    with library.Graph().as_default(), open_session(library) as session:
        x, y = library.constant([1.0, 2.0]), library.constant([3.0, 8.0])
        slices = [
            library.IndexedSlices(x, library.constant([0, 2]), library.constant([4])),
            library.IndexedSlices(y, library.constant([2, 1]), library.constant([4])),
        ]
        together = module.aggregate_tensors_or_indexed_slices(slices)
        with library.device("/cpu:0"):
            there = library.constant([4.0])
        copied = module.copy_tensor_or_indexed_slices_to_device(slices[0], "/cpu:0")
        pairs = [(x, "first"), (y, "second")]
        found: list[Any] = []
        (grad, variable), broken = module.aggregate_single_gradient_using_copy(pairs, False, False)
        found += [variable, broken, session.run(grad).tolist()]
        parts = [
            module.aggregate_tensors_or_indexed_slices([x, y]),
            module.divide_by_n_tensors_or_indexed_slices(x, 2),
            library.convert_to_tensor(module.divide_by_n_tensors_or_indexed_slices(slices[0], 4)),
            library.convert_to_tensor(together),
            library.convert_to_tensor(copied),
            module.copy_tensor_or_indexed_slices_to_device(there, "/cpu:0"),
        ]
        found += [np.asarray(value).tolist() for value in session.run(parts)]
        found += [copied.values.device, copied.indices.device]
    found.append(module.stitch_values([(["a", "c"], [0, 2]), ([], []), (["b"], [1])]))
    return found


def test_values_of_several_devices() -> None:
    assert combined(tf) == combined(oracle)


def test_what_only_tensorflow_1_has() -> None:
    module = inside(tf, "cross_device_utils")
    # As 1.15 deals them out.
    assert module.group_device_names(["a", "b", "c"], 2) == [["a", "c"], ["b", "a"]]
    with pytest.raises(ValueError, match="only 1 devices, but group_size=2"):
        module.group_device_names(["a"], 2)
    # TensorFlow's own call for a mean or a check fails: it names functions that are not there.
    with tf.Graph().as_default(), tf.Session() as session:
        pairs = [(tf.constant([1.0, 2.0]), "v"), (tf.constant([3.0, np.nan]), "w")]
        (mean, variable), broken = module.aggregate_single_gradient_using_copy(pairs, True, True)
        assert variable == "v" and session.run(broken)
        np.testing.assert_array_equal(session.run(mean), [2.0, np.nan])
        whole = module.aggregate_single_gradient_using_copy(pairs[:1], True, True)
        assert not session.run(whole[1])
    assert module.extract_ranges([1, 2, 3, 7, 9, 10]) == ([[1, 3], [9, 10]], [7])
    assert module.extract_ranges([0, 1, 2, 3], 1) == ([[0, 2]], [3])
    assert module.extract_ranges([]) == ([], [])


def test_contexts_and_classes() -> None:
    context = inside(tf, "distribution_strategy_context")
    lib = inside(tf, "distribute_lib")
    strategy = inside(tf, "one_device_strategy").OneDeviceStrategyV1("/cpu:0")
    assert isinstance(strategy, lib.StrategyV1) and isinstance(
        strategy.extended, lib.StrategyExtendedV1
    )
    assert context.get_cross_replica_context() is None
    other = tf.distribute.get_replica_context()
    with strategy.scope():
        assert context.get_cross_replica_context() is strategy
        assert context.get_strategy_and_replica_context() == (strategy, None)
        with pytest.raises(RuntimeError, match="Need to be inside"):
            lib.require_replica_context(other)

        def replica() -> None:
            own = tf.distribute.get_replica_context()
            assert context.get_cross_replica_context() is None
            lib.require_replica_context(own)
            with pytest.raises(RuntimeError, match=r"Mismatching tf\.distribute\.Strategy objects"):
                lib.require_replica_context(other)
            with pytest.raises(RuntimeError, match=r"Mismatching ReplicaContext\."):
                lib.require_replica_context(tf.distribute.ReplicaContext(strategy, 0))

        strategy.run(replica)
    resolver = inside(tf, "cluster_resolver.cluster_resolver").SimpleClusterResolver(
        tf.train.ClusterSpec({"worker": ["a:1"], "ps": ["b:1"]}), task_type="worker", task_id=0
    )
    servers = inside(tf, "parameter_server_strategy").ParameterServerStrategyV1(resolver)
    assert servers.extended.parameter_devices == ("/job:ps/task:0",)
    assert inside(tf, "cluster_resolver").TFConfigClusterResolver().cluster_spec() == (
        tf.train.ClusterSpec({})
    )
    central = inside(tf, "central_storage_strategy").CentralStorageStrategy()
    assert central.num_replicas_in_sync == 1
