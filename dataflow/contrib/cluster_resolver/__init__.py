"""tf.contrib.cluster_resolver: what tells a program its cluster; clouds are not asked."""

from dataflow.contrib.cluster_resolver.resolvers import GCEClusterResolver as GCEClusterResolver
from dataflow.contrib.cluster_resolver.resolvers import (
    KubernetesClusterResolver as KubernetesClusterResolver,
)
from dataflow.contrib.cluster_resolver.resolvers import TPUClusterResolver as TPUClusterResolver
from dataflow.session.clusters.resolver import ClusterResolver as ClusterResolver
from dataflow.session.clusters.resolver import SimpleClusterResolver as SimpleClusterResolver
from dataflow.session.clusters.resolver import UnionClusterResolver as UnionClusterResolver
from dataflow.session.clusters.slurm import SlurmClusterResolver as SlurmClusterResolver
from dataflow.session.clusters.tf_config import TFConfigClusterResolver as TFConfigClusterResolver
