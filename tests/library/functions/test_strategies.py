"""tf.distribute of one replica against TensorFlow's."""

from __future__ import annotations

from typing import Any

import pytest
import tensorflow.compat.v1 as oracle

import dataflow as tf


def states(tf: Any) -> list[Any]:
    """What strategies say of themselves in scopes, replicas and outside of both."""
    distribute = tf.distribute
    found: list[Any] = []

    def note(*more: Any) -> None:
        replica = distribute.get_replica_context()
        found.append(
            (
                distribute.has_strategy(),
                distribute.in_cross_replica_context(),
                replica is None,
                distribute.get_strategy().num_replicas_in_sync,
                *more,
            )
        )

    with tf.Graph().as_default():
        note()
        with distribute.get_strategy().scope():
            note()
        strategy = distribute.OneDeviceStrategy("/cpu:0")
        with strategy.scope():
            note("CPU:0" in tf.Variable(1.0).device)
            strategy.run(lambda x: note(x), args=(3,))
            replica = distribute.get_replica_context
            strategy.run(lambda: replica().merge_call(lambda s, a: note(s is strategy, a), (4,)))
            total = strategy.reduce(distribute.ReduceOp.SUM, tf.constant([1.0, 2.0]), axis=0)
            found.append((total.op.type, strategy.experimental_local_results(3)))
            with (
                pytest.raises(RuntimeError, match="Mixing different"),
                distribute.OneDeviceStrategy("/cpu:0").scope(),
            ):
                pass
        note()
    return found


def test_scopes_and_replicas() -> None:
    assert states(tf) == states(oracle)


def test_all_reduce_of_one() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        context = tf.distribute.get_replica_context()
        assert session.run(context.all_reduce("sum", [tf.constant(2.0)])) == [2.0]
        with pytest.raises(ValueError):
            context.all_reduce("max", tf.constant(2.0))


def test_estimators_train_under_a_strategy(tmp_path: Any) -> None:
    def model_fn(features: Any, labels: Any, mode: str) -> Any:
        seen.append((tf.distribute.has_strategy(), tf.distribute.get_replica_context() is None))
        loss = tf.reduce_mean(tf.square(tf.get_variable("w", []) * features - labels))
        train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_global_step())
        return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train)

    def input_fn(input_context: Any = None) -> Any:
        contexts.append(input_context)
        return tf.data.Dataset.from_tensors((2.0, 6.0)).repeat(30)

    seen: list[Any] = []
    contexts: list[Any] = []
    strategies: list[Any] = [
        tf.distribute.MirroredStrategy(),
        tf.contrib.distribute.MirroredStrategy(num_gpus=0),
    ]
    config = tf.estimator.RunConfig(train_distribute=strategies[0], eval_distribute=strategies[1])
    estimator = tf.estimator.Estimator(model_fn, str(tmp_path), config)
    estimator.train(input_fn)
    assert estimator.evaluate(input_fn, steps=1)["loss"] < 1e-3
    assert seen == [(True, False)] * 2
    assert [context.num_input_pipelines for context in contexts] == [1, 1]


def test_several_replicas_are_refused() -> None:
    with pytest.raises(NotImplementedError, match="one replica"):
        tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])
    with pytest.raises(NotImplementedError, match="one replica"):
        tf.contrib.distribute.MirroredStrategy(num_gpus=2)
    with pytest.raises(ValueError, match="both"):
        tf.contrib.distribute.MirroredStrategy(num_gpus=1, num_gpus_per_worker=1)
    with tf.distribute.MirroredStrategy("/cpu:0").scope():
        assert "CPU:0" in tf.Variable(1.0).device


def averages(tf: Any) -> list[Any]:
    """Losses over the replicas, and what is refused."""
    found: list[Any] = []

    def note(call: Any, feed: Any = None) -> None:
        try:
            made = call()
            found.append((made.dtype.name, made.op.type, session.run(made, feed).tolist()))
        except (ValueError, TypeError, RuntimeError) as error:
            found.append((type(error).__name__, str(error).replace("Tensor(", "")[:70]))
        except tf.errors.InvalidArgumentError as error:
            found.append((type(error).__name__, error.message.split("]")[0][-80:]))

    average, scale = tf.nn.compute_average_loss, tf.nn.scale_regularization_loss
    with tf.Graph().as_default(), tf.Session() as session:
        losses, weights = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
        note(lambda: average([1.0, 2.0, 3.0]))
        note(lambda: average([[1.0, 2.0], [3.0, 4.0]], [[1.0], [2.0]]))
        note(lambda: average([[1.0, 2.0], [3.0, 4.0]], [1.0, 2.0], 7))
        note(lambda: average(tf.constant([1.0, 2.0], tf.float64), 2, tf.constant(4)))
        for batch in (-1, 1.0, [1], 0):
            note(lambda batch=batch: average([1.0, 2.0], 2, batch))
        note(lambda: average(1.0))
        note(lambda: average(losses), {losses: [1.0, 2.0]})
        note(lambda: average(losses, weights), {losses: [1.0, 2.0], weights: [[1.0], [2.0]]})
        note(lambda: average(losses), {losses: 1.0})
        note(lambda: scale(tf.constant([1.0, 2.0])))
        strategy = tf.distribute.OneDeviceStrategy("/cpu:0")
        with strategy.scope():
            note(lambda: scale(1.0))
            note(lambda: average([1.0]))
            note(lambda: strategy.run(lambda: scale(tf.constant([1.0, 2.0]))))
    return found


def test_losses_over_replicas() -> None:
    assert averages(tf) == averages(oracle)


def set_strategies(tf: Any) -> list[Any]:
    """What holds after strategies are set, one in the place of the other."""
    distribute = tf.distribute
    with tf.Graph().as_default():
        found = []
        for device in ("/cpu:0", "/cpu:1"):
            distribute.experimental_set_strategy(distribute.OneDeviceStrategy(device))
            in_cross = distribute.in_cross_replica_context()
            found.append((distribute.has_strategy(), in_cross, tf.Variable(1.0).device[-5:]))
        distribute.experimental_set_strategy(None)
        found.append((distribute.has_strategy(), tf.Variable(1.0).device[-5:]))
        with (
            distribute.OneDeviceStrategy("/cpu:0").scope(),
            pytest.raises(RuntimeError, match="Must not be called inside"),
        ):
            distribute.experimental_set_strategy(None)
    return found


def test_strategies_that_are_set() -> None:
    assert set_strategies(tf) == set_strategies(oracle)


def _devices(strategy: Any) -> list[str]:
    with tf.Graph().as_default(), strategy.scope():

        def replica() -> Any:
            first, second = tf.get_variable("v", [2]), tf.Variable(3.0)
            return first, second, first + second

        return [made.device for made in strategy.run(replica)]


_TASKS = {"ps": ["a:1", "b:2"], "worker": ["c:1", "d:1"], "chief": ["e:1"]}


def _resolver(kind: Any, index: Any, tasks: Any) -> Any:
    return tf.distribute.cluster_resolver.SimpleClusterResolver(
        tf.train.ClusterSpec(tasks), task_type=kind, task_id=index
    )


def test_variables_are_kept_apart() -> None:
    experimental = tf.distribute.experimental
    central = experimental.CentralStorageStrategy(["/device:CPU:0"], "/device:CPU:1")
    assert _devices(central) == ["/device:CPU:1", "/device:CPU:1", "/device:CPU:0"]
    assert len(set(_devices(experimental.CentralStorageStrategy()))) == 1
    assert len(set(_devices(experimental.ParameterServerStrategy()))) == 1
    for kind, index, number in (("chief", 0, 0), ("worker", 1, 2)):
        strategy = experimental.ParameterServerStrategy(_resolver(kind, index, _TASKS))
        assert _devices(strategy) == [
            "/job:ps/task:0",
            "/job:ps/task:1",
            f"/job:{kind}/task:{index}",
        ]
        assert strategy.extended.should_checkpoint is (kind == "chief")
        assert strategy.extended.parameter_devices == ("/job:ps/task:0", "/job:ps/task:1")
        context = strategy.distribute_datasets_from_function(lambda context: context)
        assert (context.num_input_pipelines, context.input_pipeline_id) == (3, number)


def test_clusters_without_a_place_are_refused() -> None:
    experimental = tf.distribute.experimental
    with pytest.raises(ValueError, match="needs to have `ps` jobs"):
        experimental.ParameterServerStrategy(_resolver("worker", 0, {"worker": ["a:1"]}))
    with pytest.raises(ValueError, match="must also specify `task_type`"):
        experimental.ParameterServerStrategy(_resolver(None, None, _TASKS))
    with pytest.raises(NotImplementedError, match="there are 3 workers"):
        experimental.MultiWorkerMirroredStrategy(cluster_resolver=_resolver("chief", 0, _TASKS))
    with pytest.raises(NotImplementedError, match="one replica"):
        experimental.CentralStorageStrategy(["/cpu:0", "/cpu:1"])
    alone = experimental.MultiWorkerMirroredStrategy(
        experimental.CollectiveCommunication.RING, _resolver("worker", 0, {"worker": ["a:1"]})
    )
    assert alone.num_replicas_in_sync == 1


def test_replicas_run_on_the_strategys_device_wherever_they_are_called() -> None:
    strategy = tf.distribute.OneDeviceStrategy("/cpu:0")
    with tf.Graph().as_default(), strategy.scope(), tf.device("/cpu:1"):
        assert strategy.run(lambda: tf.constant(1).device) == "/device:CPU:0"


def test_a_strategy_without_a_device_leaves_scopes_alone() -> None:
    with tf.Graph().as_default(), tf.device("/cpu:1"):
        assert tf.distribute.get_strategy().run(lambda: tf.constant(1).device) == "/device:CPU:1"
