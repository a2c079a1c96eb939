"""Paths inside parts of tf.contrib: the parts themselves are there, too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import dataflow as tf
from dataflow.porting.contrib_paths import contrib_sources
from dataflow.porting.modules import TensorflowModule, is_known
from dataflow.porting.paths import SOURCES
from tests.porting.test_run import run


def test_a_part_whose_paths_are_listed_is_listed_itself() -> None:
    paths = [path for path in contrib_sources() if path.count(".") > 1]
    parts = {".".join(path.split(".")[:3]) for path in paths}
    assert [part for part in sorted(parts) if not SOURCES.get(part)] == []


def test_modules_that_programs_find_below_parts() -> None:
    def module(path: str) -> Any:
        return TensorflowModule(f"tensorflow.contrib.{path}")

    assert module("slim.init_ops").zeros_initializer is tf.zeros_initializer
    assert module("slim.math_ops").reduce_mean is tf.reduce_mean
    utils = module("layers.python.layers.utils")
    assert utils.last_dimension is tf.contrib.slim.utils.last_dimension
    grid = module("grid_rnn.python.ops.grid_rnn_cell")
    assert grid.Grid2LSTMCell is tf.contrib.grid_rnn.Grid2LSTMCell
    matcher = module("quantize.python.graph_matcher")
    assert issubclass(matcher.OpTypePattern, matcher.Pattern)
    assert module("quantize.python.fold_batch_norms").FoldBatchNorms.__name__ == "FoldBatchNorms"
    assert module("quantize.python.common").SKIPPED_PREFIXES[0] == "gradients/"
    assert module("seq2seq").dynamic_rnn_decoder.__module__.endswith("older.decoders")
    scales = module("distributions.python.ops.distribution_util")
    assert scales.make_tril_scale.__module__.endswith("distributions.mixed")
    vectors = module("distributions.python.ops.vector_diffeomixture")
    assert vectors.VectorDiffeomixture is tf.contrib.distributions.VectorDiffeomixture
    learn = "learn.python.learn"
    assert module(f"{learn}.graph_actions").run_n is tf.contrib.learn.run_n
    assert module(f"{learn}.ops.seq2seq_ops").rnn_seq2seq is tf.contrib.learn.ops.rnn_seq2seq
    assert module(f"{learn}.estimators.rnn_common").PredictionType.MULTIPLE_VALUE == 2
    sdca = module("linear_optimizer.python.sdca_optimizer")
    assert sdca.SDCAOptimizer is tf.contrib.linear_optimizer.SDCAOptimizer
    assert module(f"{learn}.monitored_session").MonitoredSession is tf.train.MonitoredSession
    kept = module(f"{learn}.utils.gc").largest_export_versions
    assert module("session_bundle.gc").largest_export_versions is kept
    assert module("session_bundle.manifest_pb2").Signatures().ByteSize() == 0
    signed = module(f"{learn}.estimators.tensor_signature").TensorSignature
    assert module("learn.estimators.tensor_signature").TensorSignature is signed
    assert module("rate.rate").Rate is tf.contrib.rate.Rate
    exports = module(f"{learn}.utils.saved_model_export_utils")
    assert exports.make_best_model_export_strategy.__module__.endswith("utils.best_models")
    assert exports.get_input_alternatives.__module__.endswith("utils.signatures")
    assert exports.garbage_collect_exports.__module__.endswith("utils.kept_exports")
    assert exports.get_timestamped_export_dir.__module__.endswith("export_signatures")
    bundles = module(f"{learn}.utils.export")
    assert bundles.export_estimator is tf.contrib.learn.utils.export_estimator
    assert module(f"{learn}.learn_io.data_feeder").DataFeeder.__name__ == "DataFeeder"
    parts = module(f"{learn}.estimators.composable_model")
    assert parts.LinearComposableModel.__name__ == "LinearComposableModel"
    classes = module("linear_optimizer.python.sdca_estimator").SDCALogisticClassifier
    assert classes.__module__.endswith("learn.sdca_estimators")
    written = module("specs.python")
    assert written.create_net is tf.contrib.specs.create_net
    assert written.Cr.f is tf.contrib.layers.conv2d and 2 <= written.Ui(2, 3) <= 3
    assert module("specs.python.specs_lib").Composable is type(written.Cr).__mro__[1]
    renamed = module("rnn.python.tools.checkpoint_convert").convert_names
    assert renamed.__module__.endswith("rnn.renamed_checkpoints")
    pruning = module("model_pruning.python.pruning_utils")
    assert pruning.weight_mask_variable.__module__.endswith("model_pruning.masks")
    assert pruning.variable_assign.__module__.endswith("model_pruning.partitions")
    assert module(f"{learn}.basic_session_run_hooks").StopAtStepHook is tf.train.StopAtStepHook
    assert module(f"{learn}.summary_writer_cache").SummaryWriterCache is tf.summary.FileWriterCache


@pytest.mark.parametrize(
    ("path", "is_module"),
    [
        ("layers.python", True),
        ("layers.python.ops", True),
        ("layers.python.ops.some_ops", True),
        ("distributions.python.ops.bijectors.affine", True),
        ("training.some_function", False),
        ("layers.python.layers.SomeClass", False),
        ("layers.python.layers.initializers.some_function", False),
        ("training.python.training.some_module.some_function", False),
    ],
)
def test_what_is_no_module_is_none_below_a_part(path: str, is_module: bool) -> None:
    """`from part import name` fails where there is no such name, and so a program's `try` works."""
    assert is_known(f"tensorflow.contrib.{path}") == is_module


def test_heads_have_their_former_names() -> None:
    module: Any = TensorflowModule("tensorflow.contrib.learn.python.learn.estimators.head")
    names = (
        "binary_svm",
        "multi_class",
        "multi",
        "multi_label",
        "poisson_regression",
        "regression",
    )
    for name in names:
        assert getattr(module, f"_{name}_head") is getattr(module, f"{name}_head")
    assert module._Head is module.Head


def test_a_file_hides_a_function_of_its_name(tmp_path: Path) -> None:
    """Folders that are empty in 1.15 have files, not the functions in these."""
    files = (
        "sparsemax.python.ops.sparsemax",
        "image.python.ops.dense_image_warp",
        "image.python.ops.interpolate_spline",
        "factorization.python.ops.gmm",
        "data.python.ops.unique",
        "nn.python.ops.alpha_dropout",
        "recurrent.python.ops.functional_rnn",
    )
    lines = ["from types import ModuleType"]
    for folder, _, name in (each.rpartition(".") for each in files):
        lines.append(f"from tensorflow.contrib.{folder} import {name}")
        lines.append(f"print(isinstance({name}, ModuleType), callable({name}.{name}))")
    (tmp_path / "program.py").write_text("\n".join(lines))
    done = run("run", str(tmp_path / "program.py"))
    assert done.stdout.split() == ["True"] * 2 * len(files), done.stderr


def test_a_folder_that_names_functions() -> None:
    folder: Any = TensorflowModule("tensorflow.contrib.framework.python.ops")
    assert folder.arg_scope is tf.contrib.framework.arg_scope
