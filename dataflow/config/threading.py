"""tf.config.threading: how many threads sessions have."""

from dataflow.session.defaults import (
    get_inter_op_parallelism_threads as get_inter_op_parallelism_threads,
)
from dataflow.session.defaults import (
    get_intra_op_parallelism_threads as get_intra_op_parallelism_threads,
)
from dataflow.session.defaults import (
    set_inter_op_parallelism_threads as set_inter_op_parallelism_threads,
)
from dataflow.session.defaults import (
    set_intra_op_parallelism_threads as set_intra_op_parallelism_threads,
)
