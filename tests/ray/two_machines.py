"""A Ray of two simulated machines, for programs that have it alone."""

from __future__ import annotations

import logging

import ray
from ray.cluster_utils import Cluster

from benchmarks.soaking.forked_workers import forked_workers

_STORE = 10**8


def two_machines() -> Cluster:
    """The Ray, which this program has joined; each machine has one core."""
    # An actor costs a tenth of what it would.
    with forked_workers():
        cluster = Cluster(
            initialize_head=True,
            head_node_args={
                "num_cpus": 1,
                "object_store_memory": _STORE,
                "include_dashboard": False,
                "_system_config": {"worker_niceness": 0, "enable_metrics_collection": False},
            },
        )
        ray.init(address=cluster.address, log_to_driver=False, logging_level=logging.ERROR)
        cluster.add_node(num_cpus=1, object_store_memory=_STORE)
    cluster.wait_for_nodes()
    return cluster
