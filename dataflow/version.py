"""tf.version: the release of TensorFlow whose names are here, and versions of the graph format."""

from dataflow.values.versions import COMPILER_VERSION as COMPILER_VERSION
from dataflow.values.versions import GIT_VERSION as GIT_VERSION
from dataflow.values.versions import GRAPH_DEF_VERSION as GRAPH_DEF_VERSION
from dataflow.values.versions import (
    GRAPH_DEF_VERSION_MIN_CONSUMER as GRAPH_DEF_VERSION_MIN_CONSUMER,
)
from dataflow.values.versions import (
    GRAPH_DEF_VERSION_MIN_PRODUCER as GRAPH_DEF_VERSION_MIN_PRODUCER,
)
from dataflow.values.versions import VERSION as VERSION
