"""Sessions on target "ray": their actors, what they share, and that nothing is left of them."""

from __future__ import annotations

import gc
import os
import threading
from typing import Any

import numpy as np
import pytest
import ray

import dataflow as tf
from dataflow import errors
from dataflow.actors.wire.messages import DeviceUsage
from dataflow.session.session import Session
from tests.ray.actors import TASK, all_living, cluster_of, eventually, is_running, living, usage
from tests.ray.transports import OBJECT_STORE, of_lanes

pytestmark = [pytest.mark.ray, pytest.mark.usefixtures("transport")]


def two_devices() -> tf.ConfigProto:
    """Options whose actors nobody holds."""
    return tf.ConfigProto(device_count={"CPU": 2}, inter_op_parallelism_threads=3)


@of_lanes
def test_actors_from_start_to_end() -> None:
    threads = set(threading.enumerate())
    free = ray.available_resources()["CPU"]
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None])
        with tf.device("/cpu:1"):
            y = x * 2.0
        with tf.device("/cpu:0"):
            z = y + 1.0
        session = Session("ray", config=two_devices())
        assert session.run(z, {x: [1.0, 2.0]}).tolist() == [3.0, 5.0]
    cluster = cluster_of(session)
    processes = living(cluster)
    devices = {f"{TASK}/device:CPU:0", f"{TASK}/device:CPU:1"}
    assert processes.keys() == devices
    assert len(set(processes.values())) == 2
    assert {device.name for device in session.list_devices()} == devices
    session.close()
    # What was taken of Ray is given back.
    assert eventually(lambda: ray.available_resources()["CPU"] >= free)
    assert living(cluster) == {}
    assert eventually(lambda: not any(map(is_running, processes.values())))
    assert eventually(lambda: not set(threading.enumerate()) - threads)
    with pytest.raises(ValueError, match="Failed to look up actor"):
        ray.get_actor(f"{cluster}{TASK}/device:CPU:0", namespace="dataflow")


@of_lanes
def test_open_sessions_share_actors_but_no_state() -> None:
    config = two_devices()
    with tf.Graph().as_default() as graph:
        with tf.device("/cpu:1"):
            variable = tf.Variable(1.0, name="v")
        more = tf.assign_add(variable, 1.0)
        noise = tf.random_uniform([2], seed=3)
        first = Session("ray", config=config)
        first.run(variable.initializer)
        assert first.run(more) == 2.0
        second = Session("ray", config=config)
        assert cluster_of(first) == cluster_of(second)
        with pytest.raises(errors.FailedPreconditionError, match="uninitialized value v"):
            second.run(variable)
        second.run(variable.initializer)
        assert second.run(more) == 2.0
        assert first.run(more) == 3.0
        # Each starts the sequence of random numbers anew.
        assert first.run(noise).tolist() == second.run(noise).tolist()
        held = usage(first)
        assert all(device.isolated == 2 for device in held.values())
        first.close()
        assert second.run(more) == 3.0
        third = Session("ray", config=config, graph=graph)
        third.run(variable.initializer)
        assert third.run([more, variable.initializer])[0] in (1.0, 2.0)
        third.close()
        assert eventually(lambda: {d.isolated for d in usage(second).values()} == {1})
        cluster = cluster_of(second)
        # A session with other options has actors of its own.
        with Session("ray") as other:
            assert cluster_of(other) != cluster
        second.close()
    assert living(cluster) == {}


def test_a_closed_session_leaves_nothing_on_shared_devices(transport: str) -> None:
    empty = DeviceUsage(plans=0, steps=0, piecewise=0, rendezvous=0, kernels=0, isolated=0)
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None])
        value = tf.random_uniform([], seed=1) + tf.Variable(tf.ones([3]), name="v")
        watching = Session("ray", graph=tf.Graph())
        before = {f"{TASK}/device:CPU:0": empty}
        # Until the sessions of earlier tests, and those that were dropped, have ended there, too.
        gc.collect()
        assert eventually(lambda: usage(watching) == before)
        session = Session("ray")
        session.run(tf.global_variables_initializer())
        session.run([value, x + 1.0], {x: [1.0]})
        call = session.make_callable(value)
        assert call().shape == (3,)
        session.partial_run_setup([x + 2.0], [x])
        # Nobody waits until a step that goes piecewise has begun.
        # Over a lane fetches are sent as they come: nothing is kept to be asked for.
        begun = 1, int(transport == OBJECT_STORE)
        assert eventually(
            lambda: [(d.steps, d.piecewise) for d in usage(session).values()] == [begun]
        )
        (device,) = usage(session).values()
        assert device.plans >= 4 and device.kernels >= 1
        session.close()
        assert eventually(lambda: usage(watching) == before)
        watching.close()


@of_lanes
def test_forgotten_session_takes_its_actors_along() -> None:
    before = all_living()
    with tf.Graph().as_default():
        x = tf.constant(1.0)
        session = Session("ray", config=tf.ConfigProto(inter_op_parallelism_threads=1))
        session.run(x)
        assert len(all_living() - before) == 1
        del session
        gc.collect()
    assert not all_living() - before


@of_lanes
def test_library_threads_and_pool() -> None:
    """A lone device actor has all cores, whatever Ray allows an actor without reserved CPUs."""
    with tf.Graph().as_default(), Session("ray") as session:
        actor = ray.get_actor(f"{cluster_of(session)}{TASK}/device:CPU:0", namespace="dataflow")

        def threads(shell: Any) -> tuple[set[int], int]:
            from threadpoolctl import threadpool_info

            found = {p["num_threads"] for p in threadpool_info() if p["user_api"] == "blas"}
            return found, shell._shell._device.executor._helpers.limit

        libraries, kernels = ray.get(actor.__ray_call__.remote(threads))
        # Kernels split their work over the device's threads; the libraries shall add none.
        assert libraries == {1}
        assert kernels == len(os.sched_getaffinity(0))


def test_values_are_the_callers_own() -> None:
    with tf.Graph().as_default(), Session("ray") as session:
        x = tf.placeholder(tf.float32, [None])
        variable = tf.Variable(tf.zeros([4]))
        session.run(variable.initializer)
        for fetched in session.run([variable, x + 1.0, x * 2.0], {x: np.ones(4)}):
            fetched[:] = 7.0
        assert session.run(variable).tolist() == [0.0] * 4
