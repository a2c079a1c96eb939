"""A TensorFlow server in a process of its own: oracle_server.py TASK ADDRESS ADDRESS...

It says "ready" once it serves, and ends when its standard input does, as that of a process whose
parent was killed.
"""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Serves one task of job "worker"."""
    import tensorflow as oracle

    task, *addresses = sys.argv[1:]
    server = oracle.distribute.Server(
        {"worker": addresses}, job_name="worker", task_index=int(task), protocol="grpc"
    )
    print("ready", flush=True)
    sys.stdin.read()
    del server
    os._exit(0)  # Servers of TensorFlow cannot be stopped otherwise.


if __name__ == "__main__":
    main()
