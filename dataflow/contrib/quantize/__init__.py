"""tf.contrib.quantize: models rewritten to be trained with the errors of few bits."""

from dataflow.contrib.quantize.graphs import create_eval_graph as create_eval_graph
from dataflow.contrib.quantize.graphs import create_training_graph as create_training_graph
from dataflow.contrib.quantize.graphs import (
    experimental_create_eval_graph as experimental_create_eval_graph,
)
from dataflow.contrib.quantize.graphs import (
    experimental_create_training_graph as experimental_create_training_graph,
)
