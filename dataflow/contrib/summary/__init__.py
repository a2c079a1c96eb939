"""tf.contrib.summary: summaries that write themselves, without a merged one that is fetched."""

from dataflow.contrib.summary.values import audio as audio
from dataflow.contrib.summary.values import generic as generic
from dataflow.contrib.summary.values import graph as graph
from dataflow.contrib.summary.values import histogram as histogram
from dataflow.contrib.summary.values import image as image
from dataflow.contrib.summary.values import (
    record_summaries_every_n_global_steps as record_summaries_every_n_global_steps,
)
from dataflow.contrib.summary.values import scalar as scalar
from dataflow.recording.default_writer import all_v2_summary_ops as _all
from dataflow.recording.default_writer import always_record_summaries as always_record_summaries
from dataflow.recording.default_writer import never_record_summaries as never_record_summaries
from dataflow.recording.default_writer import should_record_summaries as should_record_summaries
from dataflow.recording.resource_writer import SummaryWriter as SummaryWriter
from dataflow.recording.resource_writer import create_db_writer as create_db_writer
from dataflow.recording.resource_writer import create_file_writer as create_file_writer
from dataflow.recording.resource_writer import (
    create_summary_file_writer as create_summary_file_writer,
)
from dataflow.recording.resource_writer import eval_dir as eval_dir
from dataflow.recording.resource_writer import flush as flush
from dataflow.recording.resource_writer import import_event as import_event
from dataflow.recording.resource_writer import initialize as initialize
from dataflow.recording.resource_writer import (
    summary_writer_initializer_op as summary_writer_initializer_op,
)

all_summary_ops = _all
