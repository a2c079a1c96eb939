"""tf.summary: what a run shows of itself, and the files it is written to."""

from dataflow.library.summaries.description import (
    get_summary_description as get_summary_description,
)
from dataflow.library.summaries.merging import merge as merge
from dataflow.library.summaries.merging import merge_all as merge_all
from dataflow.library.summaries.values import audio as audio
from dataflow.library.summaries.values import histogram as histogram
from dataflow.library.summaries.values import image as image
from dataflow.library.summaries.values import scalar as scalar
from dataflow.library.summaries.values import tensor_summary as tensor_summary
from dataflow.library.summaries.values import text as text
from dataflow.proto.event_pb2 import Event as Event
from dataflow.proto.event_pb2 import SessionLog as SessionLog
from dataflow.proto.event_pb2 import TaggedRunMetadata as TaggedRunMetadata
from dataflow.proto.summary_pb2 import Summary as Summary
from dataflow.proto.summary_pb2 import SummaryDescription as SummaryDescription
from dataflow.recording.default_writer import all_v2_summary_ops as all_v2_summary_ops
from dataflow.recording.file_writer import FileWriter as FileWriter
from dataflow.recording.resource_writer import initialize as initialize
from dataflow.recording.writer_cache import FileWriterCache as FileWriterCache
