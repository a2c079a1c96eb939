"""Which room may import which: the table that `test_layering.py` holds the sources to.

A room is a package with what no row of its own takes out of it, or a public module at the top of
`dataflow/`. Rows stand from the lowest floor up, and a room imports itself and rooms that its row
names, all of which stand above it in the table: so there is no circle. Hints and imports inside
functions count.
"""

from __future__ import annotations

_VALUES = "proto errors values"
_GRAPH = f"{_VALUES} schema graph"
_OPS = (
    "ops.basic ops.array ops.math ops.reductions ops.linalg ops.lists ops.flow ops.random "
    "ops.text ops.queues ops.lookup ops.python ops.readers ops.sets ops.saving ops.summaries "
    "ops.state ops.sparse ops.ragged ops.sequences ops.signal ops.image ops.parsing "
    "ops.quantization ops.datasets ops.boosted_trees ops.gradient_trees ops.tensor_forest ops.nn"
)
_LIBRARY = (
    f"{_GRAPH} checkpoints records {_OPS} ops importing functions control_flow differentiation "
    "variables"
)
_KERNEL_VALUES = "errors values kernels.contract kernels.threads kernels.memory kernels.narrow"
_KERNELS = (
    f"{_KERNEL_VALUES} kernels.onednn kernels.random kernels.reductions kernels.elementwise "
    "kernels.lists kernels.queues kernels.products kernels.rows kernels.optimizers "
    "kernels.convolution kernels.pooling kernels.summaries kernels.parsing kernels.sparse "
    "kernels.sequences kernels.readers kernels.images kernels.datasets kernels.boosted_trees "
    "kernels.gradient_trees kernels.tensor_forest kernels.hashes"
)
_STEP = (
    f"{_VALUES} schema runtime passes.graphs kernels.contract kernels.threads kernels.memory "
    "kernels.lists actors.wire actors.threads actors.nodes actors.step"
)
_FUSION = f"{_STEP} kernels.elementwise kernels.reductions kernels.products kernels.pooling"
_PLAN = (
    f"{_FUSION} actors.transfers actors.devices actors.control_flow actors.code actors.fusion "
    "actors.fusion.compiled actors.fusion.pairs"
)

ROOMS: dict[str, str] = {
    # Values, and what an op is.
    "proto": "",
    "errors": "proto",
    "values": "proto errors",
    "schema": _VALUES,
    "checkpoints": _VALUES,
    "records": _VALUES,
    # The front end describes graphs.
    "graph": f"{_VALUES} schema",
    "ops.basic": _GRAPH,
    "ops.array": f"{_GRAPH} ops.basic",
    "ops.math": f"{_GRAPH} ops.basic ops.array",
    "ops.reductions": f"{_GRAPH} ops.basic ops.array ops.math",
    "ops.linalg": f"{_GRAPH} ops.basic ops.array ops.math ops.reductions",
    "ops.lists": f"{_GRAPH} ops.basic ops.array",
    "ops.flow": f"{_GRAPH} ops.basic ops.math ops.reductions",
    "ops.random": f"{_GRAPH} ops.basic ops.array ops.math",
    "ops.text": f"{_GRAPH} ops.basic",
    "ops.parsing": f"{_GRAPH} ops.basic",
    "ops.queues": f"{_GRAPH} ops.basic",
    "ops.lookup": f"{_GRAPH} ops.basic",
    "ops.python": _GRAPH,
    "ops.readers": f"{_GRAPH} ops.basic",
    "ops.datasets": _GRAPH,
    "ops.boosted_trees": _GRAPH,
    "ops.gradient_trees": f"{_GRAPH} proto ops.boosted_trees",
    "ops.tensor_forest": _GRAPH,
    "ops.sets": f"{_GRAPH} ops.basic",
    "ops.saving": f"{_GRAPH} checkpoints",
    "ops.summaries": _GRAPH,
    "ops.state": f"{_GRAPH} ops.basic ops.array",
    "ops.sparse": f"{_GRAPH} ops.basic ops.array ops.math ops.reductions ops.linalg",
    "ops.ragged": f"{_GRAPH} ops.basic ops.array ops.math ops.reductions ops.linalg ops.sparse",
    "ops.sequences": f"{_GRAPH} ops.basic ops.array ops.math ops.reductions ops.linalg ops.sparse",
    "ops.signal": f"{_GRAPH} ops.basic ops.array ops.math ops.reductions",
    "ops.nn": (
        f"{_GRAPH} ops.basic ops.array ops.math ops.reductions ops.linalg ops.flow ops.random"
    ),
    "ops.image": (
        f"{_GRAPH} ops.basic ops.array ops.math ops.reductions ops.linalg ops.random ops.nn"
    ),
    "ops.quantization": (f"{_GRAPH} ops.basic ops.array ops.math ops.linalg ops.nn ops.image"),
    "ops": f"{_GRAPH} {_OPS}",
    "importing": f"{_VALUES} schema graph",
    "functions": f"{_GRAPH} {_OPS} importing",
    "control_flow": f"{_GRAPH} {_OPS} functions",
    "differentiation": f"{_GRAPH} {_OPS} functions control_flow",
    "variables": f"{_GRAPH} {_OPS} ops control_flow",
    "library": _LIBRARY,
    # The compiler meets the front end's graph in GraphDef only.
    "passes.graphs": f"{_VALUES} schema",
    "passes.control_flow": f"{_VALUES} schema passes.graphs",
    "passes.algebra": f"{_VALUES} schema passes.graphs",
    "passes.placement": f"{_VALUES} schema passes.graphs passes.control_flow",
    "passes": f"{_VALUES} schema passes.graphs passes.algebra",
    # Kernels know no graph and no actor.
    "kernels.threads": "",
    "kernels.memory": "kernels.threads",
    "kernels.onednn": "kernels.threads kernels.memory",
    "kernels.narrow": "kernels.threads kernels.memory kernels.onednn",
    "kernels.contract": "errors values kernels.threads kernels.memory kernels.narrow",
    "kernels.native": "kernels.threads",
    "kernels.random": f"{_KERNEL_VALUES} kernels.native",
    "kernels.hashes": f"{_KERNEL_VALUES} kernels.native",
    "kernels.reductions": f"{_KERNEL_VALUES} kernels.native",
    "kernels.elementwise": f"{_KERNEL_VALUES} kernels.native",
    "kernels.lists": _KERNEL_VALUES,
    "kernels.sparse": f"{_KERNEL_VALUES} kernels.reductions",
    "kernels.sequences": f"{_KERNEL_VALUES} kernels.elementwise",
    "kernels.queues": f"{_KERNEL_VALUES} kernels.random kernels.lists",
    "kernels.readers": f"checkpoints records {_KERNEL_VALUES} kernels.queues",
    "kernels.products": (f"{_KERNEL_VALUES} kernels.onednn kernels.reductions kernels.elementwise"),
    "kernels.rows": f"{_KERNEL_VALUES} kernels.onednn kernels.reductions kernels.elementwise",
    "kernels.optimizers": f"{_KERNEL_VALUES} kernels.native kernels.elementwise",
    "kernels.convolution": f"{_KERNEL_VALUES} kernels.onednn kernels.products",
    "kernels.pooling": (f"{_KERNEL_VALUES} kernels.onednn kernels.elementwise kernels.convolution"),
    "kernels.images": (
        f"{_KERNEL_VALUES} kernels.native kernels.random kernels.onednn kernels.reductions "
        "kernels.elementwise"
    ),
    "kernels.summaries": f"proto {_KERNEL_VALUES} records",
    "kernels.parsing": f"proto {_KERNEL_VALUES}",
    "kernels.boosted_trees": f"proto {_KERNEL_VALUES}",
    "kernels.gradient_trees": f"proto {_KERNEL_VALUES} kernels.random kernels.boosted_trees",
    "kernels.tensor_forest": f"proto {_KERNEL_VALUES} kernels.random kernels.boosted_trees",
    "kernels.datasets": (
        f"{_KERNEL_VALUES} kernels.random kernels.lists kernels.parsing checkpoints records"
    ),
    "kernels.ops": f"proto {_KERNELS} checkpoints records",
    "kernels.cpu": f"{_KERNELS} kernels.ops",
    "kernels.gpu": f"{_KERNELS} kernels.ops",
    "kernels": "values kernels.ops kernels.cpu kernels.gpu",
    # The back end runs partitions.
    "runtime": "proto",
    "actors.wire": f"{_VALUES} kernels.lists",
    "actors.threads": "proto errors values kernels.threads",
    "actors.nodes": (
        f"{_VALUES} kernels.contract kernels.memory kernels.reductions kernels.products "
        "passes.graphs"
    ),
    "actors.step": (
        f"{_VALUES} runtime kernels.contract kernels.memory actors.wire actors.threads"
    ),
    "actors.transfers": f"{_VALUES} actors.wire actors.step",
    "actors.transfers.lanes": (
        f"{_VALUES} kernels.memory actors.wire actors.threads actors.step actors.transfers"
    ),
    "actors.devices": f"{_VALUES} kernels kernels.contract",
    "actors.control_flow": f"{_VALUES} schema passes.graphs passes.control_flow",
    "actors.code": _STEP,
    "actors.fusion": f"{_FUSION} actors.code",
    "actors.fusion.compiled": f"{_FUSION} kernels.native actors.code actors.fusion",
    "actors.fusion.pairs": f"{_FUSION} kernels.convolution actors.code actors.fusion",
    "actors.plan": f"{_PLAN} passes.algebra passes.control_flow",
    "actors.run": f"{_PLAN} actors.plan",
    "actors.cores": (
        f"{_PLAN} records actors.plan actors.run passes passes.control_flow passes.placement"
    ),
    "actors": f"{_PLAN} actors.plan actors.run actors.cores passes.placement",
    "actors.ray.links": f"{_STEP} actors.transfers actors.transfers.lanes",
    "actors.ray.actors": (
        f"{_PLAN} passes.placement actors.transfers.lanes actors.plan actors.run actors.cores "
        "actors.ray.links"
    ),
    "actors.ray.cluster": (
        f"{_STEP} passes.placement actors.transfers actors.transfers.lanes actors.ray.links "
        "actors.ray.actors"
    ),
    "actors.ray.session": (
        f"{_STEP} passes.placement actors.transfers actors.transfers.lanes actors.run "
        "actors.ray.links actors.ray.cluster"
    ),
    # Sessions run graphs; only `back_end` sees who runs them.
    "session.back_end": (
        "proto errors schema runtime actors actors.devices actors.plan actors.ray.cluster "
        "actors.ray.session"
    ),
    "session": f"{_GRAPH} records differentiation runtime session.back_end",
    "eager": f"{_LIBRARY} library session",
    "saving": f"{_LIBRARY} library session",
    "feature_columns": f"{_LIBRARY} library session saving",
    "recording": f"{_LIBRARY} records library session saving",
    "training": f"{_LIBRARY} library session saving recording",
    "testing": f"{_LIBRARY} library session recording",
    "debugger": f"{_LIBRARY} library session records recording training",
    "estimation": (f"{_LIBRARY} library session records saving feature_columns recording training"),
    "keras": (f"{_LIBRARY} library session saving feature_columns recording training estimation"),
    "profiling": f"{_GRAPH} training",
    "placement": f"{_LIBRARY} library session saving",
    "transforms": f"{_LIBRARY} library session saving",
    # Above all of them, and none of them knows it.
    "contrib": (
        f"{_LIBRARY} library session records saving feature_columns recording training estimation "
        "keras profiling"
    ),
    "porting": f"{_LIBRARY} library session recording saving training testing debugger keras "
    "estimation feature_columns contrib",
    "serving": f"{_VALUES} graph records saving session session.back_end",
    "command": (f"{_LIBRARY} library session session.back_end saving transforms porting serving"),
}
"""Room -> the rooms it may import, by their names below `dataflow`."""

MOST_FILES = 26
"""Of one folder, `__init__.py` among them."""

FACES = "the public names"
"""The room of `dataflow` itself, of the other modules at its top and of these packages."""

FACE_PACKAGES = (
    "autograph",
    "compat",
    "config",
    "data",
    "distribute",
    "estimator",
    "io",
    "layers",
    "lookup",
    "math",
    "mixed_precision",
    "names",
    "nn",
    "python_io",
    "random",
    "saved_model",
    "summary",
    "train",
    "xla",
)

UNSEEN_BY_FACES = ("actors", "kernels")
"""Faces may import every other room; no room may import them."""

FRONT_END = ("numpy", "google", "google_crc32c", "ml_dtypes")

THIRD_PARTY: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("dataflow/porting/command.py", (*FRONT_END, "click")),
    ("dataflow/porting/spellings/framework/combinations.py", (*FRONT_END, "absl")),
    ("dataflow/porting/spellings/framework/testing.py", (*FRONT_END, "absl")),
    ("dataflow/porting/spellings/keras/modes_of_tests.py", (*FRONT_END, "absl")),
    ("dataflow/porting/former/installed_packages.py", ("packaging",)),
    ("dataflow/porting/former/scipy_images.py", (*FRONT_END, "scipy", "PIL")),
    ("dataflow/flags.py", ("absl",)),
    ("dataflow/testing/array_assertions.py", (*FRONT_END, "absl")),
    ("dataflow/testing/surroundings.py", (*FRONT_END, "absl")),
    ("dataflow/library/autograph/**", (*FRONT_END, "malt")),
    ("dataflow/library/program/flags.py", ("absl",)),
    ("dataflow/library/program/progress.py", ("rich", "IPython")),
    ("dataflow/library/program/start.py", ("absl",)),
    ("dataflow/contrib/constrained_optimization/candidates.py", (*FRONT_END, "scipy")),
    ("dataflow/contrib/opt/external.py", (*FRONT_END, "scipy")),
    ("dataflow/keras/preprocessing/image/**", (*FRONT_END, "scipy", "PIL")),
    ("dataflow/keras/saving/hdf5.py", (*FRONT_END, "h5py")),
    ("dataflow/command/main.py", (*FRONT_END, "click")),
    ("dataflow/command/weights.py", (*FRONT_END, "h5py", "safetensors")),
    ("dataflow/command/serving.py", (*FRONT_END, "click")),
    ("dataflow/command/told.py", (*FRONT_END, "click")),
    ("dataflow/command/tensorflow_steps.py", ("numpy", "tensorflow")),
    ("dataflow/serving/http.py", (*FRONT_END, "aiohttp")),
    ("dataflow/serving/rpc.py", (*FRONT_END, "grpc")),
    ("dataflow/serving/replicas.py", (*FRONT_END, "ray")),
    ("dataflow/**", FRONT_END),
    ("actors/devices/gpu.py", ("numpy", "ml_dtypes", "cupy", "cupyx")),
    ("actors/transfers/object_store.py", ("numpy", "ml_dtypes", "msgpack", "ray")),
    ("actors/ray/**", ("numpy", "google", "ml_dtypes", "msgpack", "ray")),
    ("actors/**", ("numpy", "google", "ml_dtypes", "msgpack", "threadpoolctl")),
    ("kernels/gpu/**", ("numpy", "ml_dtypes", "cupy", "cupyx")),
    ("kernels/native/builtin.py", ("llvmlite",)),
    ("kernels/products/blas.py", ("threadpoolctl",)),
    ("kernels/boosted_trees/**", ("numpy", "google")),
    ("kernels/gradient_trees/**", ("numpy", "google")),
    ("kernels/ops/gradient_trees/**", ("numpy", "google")),
    ("kernels/tensor_forest/**", ("numpy", "google")),
    ("kernels/summaries/**", ("numpy", "google")),
    ("kernels/ops/summaries/**", ("numpy", "google")),
    ("kernels/parsing/**", ("numpy", "google")),
    ("kernels/ops/parsing/**", ("numpy", "google")),
    ("kernels/ops/text/patterns.py", ("numpy", "re2")),
    ("kernels/**", ("numpy", "ml_dtypes", "scipy")),
)
"""Glob -> third-party packages its files may import; the first glob that matches counts."""

TYPING_ONLY = ("typing_extensions",)
"""Comes with mypy and is no dependency: under `if TYPE_CHECKING` only."""

LOADERS_OF_CODE = ("cloudpickle", "dill", "marshal", "pickle", "shelve")
"""Nothing that is loaded may run code, so these stay out of every file but the next ones."""

MAY_LOAD_CODE = (
    "actors/ray/actors/shells.py",
    "dataflow/keras/datasets/pickled.py",
    "dataflow/porting/spellings/keras/codes.py",
)
"""Ships the user's own Python functions to the user's own actors; reads plain data without calling
what it names; writes a function's code into a layer's configuration, and refuses to read one."""
