"""tensorflow.contrib.eager: what graphs have of it that only internal modules show, too."""

from dataflow.porting.spellings.eager.mode import num_gpus as num_gpus
from dataflow.porting.spellings.framework.testing import (
    run_all_in_graph_and_eager_modes as run_all_tests_in_graph_and_eager_modes,
)
from dataflow.porting.spellings.framework.testing import (
    run_in_graph_and_eager_modes as run_test_in_graph_and_eager_modes,
)
from dataflow.porting.spellings.ops.scopes import EagerVariableStore as EagerVariableStore
from dataflow.porting.spellings.trackables import AutoTrackable as Checkpointable

__all__ = [
    "Checkpointable",
    "EagerVariableStore",
    "num_gpus",
    "run_all_tests_in_graph_and_eager_modes",
    "run_test_in_graph_and_eager_modes",
]
