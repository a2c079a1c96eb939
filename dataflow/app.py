"""tf.app: starts a program, with its flags read from the command line."""

from dataflow import flags as flags
from dataflow.library.program.start import run as run
