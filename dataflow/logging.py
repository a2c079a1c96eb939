"""tf.logging: messages of programs, on standard error, by a logger of the standard library."""

from dataflow.values.logging import DEBUG as DEBUG
from dataflow.values.logging import ERROR as ERROR
from dataflow.values.logging import FATAL as FATAL
from dataflow.values.logging import INFO as INFO
from dataflow.values.logging import WARN as WARN
from dataflow.values.logging import TaskLevelStatusMessage as TaskLevelStatusMessage
from dataflow.values.logging import debug as debug
from dataflow.values.logging import error as error
from dataflow.values.logging import fatal as fatal
from dataflow.values.logging import flush as flush
from dataflow.values.logging import get_verbosity as get_verbosity
from dataflow.values.logging import info as info
from dataflow.values.logging import log as log
from dataflow.values.logging import log_every_n as log_every_n
from dataflow.values.logging import log_first_n as log_first_n
from dataflow.values.logging import log_if as log_if
from dataflow.values.logging import set_verbosity as set_verbosity
from dataflow.values.logging import vlog as vlog
from dataflow.values.logging import warn as warn
from dataflow.values.logging import warning as warning
