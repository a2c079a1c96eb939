"""tf.contrib.cluster_resolver: what finds clusters; addresses are given to tf.train.Server here."""

from dataflow.contrib.cluster_resolver.resolvers import GceClusterResolver as GceClusterResolver
from dataflow.contrib.cluster_resolver.resolvers import (
    KubernetesClusterResolver as KubernetesClusterResolver,
)
from dataflow.contrib.cluster_resolver.resolvers import SlurmClusterResolver as SlurmClusterResolver
from dataflow.contrib.cluster_resolver.resolvers import TPUClusterResolver as TPUClusterResolver
