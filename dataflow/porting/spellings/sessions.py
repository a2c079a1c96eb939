"""tensorflow.python.training.monitored_session: what other libraries ask of it."""

from dataflow.training.monitored.wrapped_sessions import HookedSession

_HookedSession = HookedSession
