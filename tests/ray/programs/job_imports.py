"""A user's program, submitted as a Ray job: imports all three packages on driver and worker."""

from __future__ import annotations

import ray

import dataflow


@ray.remote(num_cpus=1)
def packages() -> list[str]:
    """Files of the packages as an actor's process on the cluster sees them."""
    import dataflow.actors
    import dataflow.kernels

    return [str(p.__file__) for p in (dataflow, dataflow.actors, dataflow.kernels)]


ray.init(log_to_driver=False)
print(f"driver {dataflow.__file__}")
for file in ray.get(packages.remote(), timeout=60):
    print(f"worker {file}")
