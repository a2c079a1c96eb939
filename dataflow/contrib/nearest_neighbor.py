"""tf.contrib.nearest_neighbor: hashes that are near for points that are near."""

from dataflow.ops.linalg.hashed_points import hyperplane_lsh_probes as hyperplane_lsh_probes
