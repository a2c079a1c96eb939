"""tf.distribute.cluster_resolver: what tells a program its cluster and its task."""

import dataflow.session.clusters.resolver as _resolver
from dataflow.session.clusters.resolver import ClusterResolver as ClusterResolver
from dataflow.session.clusters.resolver import SimpleClusterResolver as SimpleClusterResolver
from dataflow.session.clusters.slurm import SlurmClusterResolver as SlurmClusterResolver
from dataflow.session.clusters.tf_config import TFConfigClusterResolver as TFConfigClusterResolver

UnionResolver = _resolver.UnionClusterResolver
