"""tf.config.optimizer: how graphs are rewritten before they run."""

import dataflow.session.defaults as _defaults

get_experimental_options = _defaults.get_optimizer_experimental_options
get_jit = _defaults.get_optimizer_jit
set_experimental_options = _defaults.set_optimizer_experimental_options
set_jit = _defaults.set_optimizer_jit
