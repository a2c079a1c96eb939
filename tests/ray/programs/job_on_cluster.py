"""A user's program, submitted as a Ray job: runs a graph and says which dataflow it used."""

from __future__ import annotations

from pathlib import Path

import dataflow as tf

with tf.Session("ray") as session:
    value = session.run(tf.constant(2.0) * 3.0)
print(f"imported from {Path(tf.__file__).resolve()}")
print(f"value {value}")
