"""tf.io: reading and writing."""

from dataflow.importing.files import write_graph as write_graph
