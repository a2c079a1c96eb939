"""tf.saved_model.experimental: saving of objects, and what they may hold."""

from dataflow.library.lookup.resources import TrackableResource as TrackableResource
from dataflow.saving.objects.options import VariablePolicy as VariablePolicy
from dataflow.saving.objects.saving import save as save
