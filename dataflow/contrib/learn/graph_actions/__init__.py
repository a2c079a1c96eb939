"""tf.contrib.learn.graph_actions: training, evaluation and inference of graphs, before hooks."""

from dataflow.contrib.learn.graph_actions.evaluation import evaluate as evaluate
from dataflow.contrib.learn.graph_actions.feeding import infer as infer
from dataflow.contrib.learn.graph_actions.feeding import run_feeds as run_feeds
from dataflow.contrib.learn.graph_actions.feeding import run_feeds_iter as run_feeds_iter
from dataflow.contrib.learn.graph_actions.feeding import run_n as run_n
from dataflow.contrib.learn.graph_actions.training import train as train
from dataflow.recording.writer_cache import FileWriterCache

get_summary_writer = FileWriterCache.get
clear_summary_writers = FileWriterCache.clear
