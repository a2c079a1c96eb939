"""What TensorFlow's unit tests and programs take from its inner modules, printed."""

import tensorflow as tf
import tensorflow.compat.v2.experimental
from tensorflow.python.estimator import estimator
from tensorflow.python.ops import check_ops, lookup_ops
from tensorflow.python.platform import self_check
from tensorflow.python.training import gen_training_ops
from tensorflow.python.training.tracking import data_structures, tracking


class Resource(tracking.TrackableResource):
    def _create_resource(self):
        return tf.constant(3)


class Counting:
    count = 0

    @property
    @tracking.cached_per_instance
    def calls(self):
        self.count += 1
        return self.count


def message(call):
    try:
        call()
    except (TypeError, ValueError) as error:
        return str(error)


print(
    estimator.ops.Graph is tf.Graph,
    estimator.training.SessionRunHook is tf.train.SessionRunHook,
    estimator.saver.Saver is tf.train.Saver,
    estimator.random_seed.set_random_seed is tf.set_random_seed,
    estimator.model_fn_lib.EstimatorSpec is tf.estimator.EstimatorSpec,
)
print(message(lambda: estimator._check_hooks_type([3])))
print(gen_training_ops.resource_apply_gradient_descent.__name__, self_check.__name__)
tracker = tracking.ResourceTracker()
inner = tracking.ResourceTracker()
with tracking.resource_tracker_scope(tracker):
    initializer = tf.lookup.KeyValueTensorInitializer(["a"], [1])
    table = tf.lookup.StaticHashTable(initializer, 0)
    with tracking.resource_tracker_scope(inner):
        resource = Resource()
other = Resource()
print(tracker.resources == [table, resource], inner.resources == [resource])
print(isinstance(table, lookup_ops.InitializableLookupTableBase))
print(sorted(each.name for each in check_ops.NUMERIC_TYPES))
counting = Counting()
print(counting.calls, counting.calls, Counting().calls)
held = data_structures.List([tf.Variable(1.0, name="v")])
print(len(held), held.weights[0].name, "a" in data_structures.Mapping(a=held))
print(message(lambda: data_structures.List([3])))
