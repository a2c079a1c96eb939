"""Names of TensorFlow's modules of queues, staging areas and tables that no public one has."""

from dataflow.library.lookup.tables import StaticHashTable as InitializableLookupTableBase
from dataflow.library.queues.barrier import Barrier as Barrier
from dataflow.library.queues.map_staging import MapStagingArea as MapStagingArea
from dataflow.library.queues.staging import BaseStagingArea as BaseStagingArea
from dataflow.library.queues.staging import StagingArea as StagingArea
from dataflow.library.readers.record_input import RecordInput as RecordInput

__all__ = ["InitializableLookupTableBase"]
