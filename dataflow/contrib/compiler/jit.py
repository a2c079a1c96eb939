"""tf.contrib.compiler.jit: marks of operations."""

import dataflow.library.xla.jit_scope as _jit_scope

experimental_jit_scope = _jit_scope.jit_scope
