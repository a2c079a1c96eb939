"""Names of `tensorflow.python.ops.data_flow_ops` that no public module has."""

from dataflow.library.queues.barrier import Barrier as Barrier
from dataflow.library.queues.map_staging import MapStagingArea as MapStagingArea
from dataflow.library.queues.staging import BaseStagingArea as BaseStagingArea
from dataflow.library.queues.staging import StagingArea as StagingArea
from dataflow.library.readers.record_input import RecordInput as RecordInput
