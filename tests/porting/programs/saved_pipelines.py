"""A unit test of a pipeline as TensorFlow 2 writes them: versions, modes, ways of saving."""

from absl.testing import parameterized
from tensorflow.python.data.kernel_tests import checkpoint_test_base, test_base, tf_record_test_base
from tensorflow.python.data.ops import dataset_ops, readers
from tensorflow.python.framework import combinations
from tensorflow.python.ops import lookup_ops
from tensorflow.python.platform import test


class PipelineTest(test_base.DatasetTestBase, parameterized.TestCase):
    @combinations.generate(test_base.graph_only_combinations())
    def testGraph(self):
        dataset = dataset_ops.Dataset.range(4).shuffle(4)
        found = self.getDatasetOutput(dataset, requires_initialization=True)
        self.assertCountEqual(found, [0, 1, 2, 3])

    @combinations.generate(test_base.v1_only_combinations())
    def testOrder(self):
        self.checkDeterminism(lambda delay_ms: dataset_ops.Dataset.range(3), True, [0, 1, 2])

    @combinations.generate(
        combinations.times(
            test_base.graph_only_combinations(),
            combinations.combine(init_source=["textfile", "keyvaluetensor", "dataset"]),
        )
    )
    def testTable(self, init_source):
        table = lookup_ops.StaticHashTable(self.lookupTableInitializer(init_source, [10, 11]), -1)
        dataset = dataset_ops.Dataset.range(3).map(table.lookup)
        self.evaluate(lookup_ops.tables_initializer())
        self.assertDatasetProduces(dataset, [10, 11, -1], requires_initialization=True)

    @combinations.generate(test_base.graph_only_combinations())
    def testUnknownSource(self):
        with self.assertRaisesRegex(ValueError, "Unrecognized init_source: nowhere"):
            self.lookupTableInitializer("nowhere", [1])


class RecordTest(tf_record_test_base.TFRecordTestBase, parameterized.TestCase):
    @combinations.generate(test_base.graph_only_combinations())
    def testRecords(self):
        self.assertLen(self.getDatasetOutput(readers.TFRecordDataset(self._filenames)), 14)
        name = self._writeFile("more", ["a", 1])
        self.assertDatasetProduces(readers.TFRecordDataset(name), [b"a", b"1"])


class CheckpointTest(checkpoint_test_base.CheckpointTestBase, parameterized.TestCase):
    @combinations.generate(
        combinations.times(
            test_base.graph_only_combinations(), checkpoint_test_base.default_test_combinations()
        )
    )
    def testSaved(self, verify_fn):
        def build():
            return dataset_ops.Dataset.range(20).batch(2).map(lambda x: x * 2)

        verify_fn(self, build, num_outputs=10)

    @combinations.generate(test_base.graph_only_combinations())
    def testAnyOrder(self):
        self.match([3, 1, 2], [1, 2, 3], assert_items_equal=True)
        with self.assertRaises(AssertionError):
            self.match([3, 1, 2], [1, 2, 3])
        with self.assertRaises(AssertionError):
            self.match([3, 1, 2], [1, 2, 4], assert_items_equal=True)


if __name__ == "__main__":
    test.main()
