"""In a kernel of Jupyter: graphs and progress draw themselves, what cells forget ends with it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.ray.actors import eventually

_CELLS = (
    """
import dataflow as tf
x = tf.placeholder(tf.float32, [2], name="fed")
y = tf.multiply(x, 3.0, name="product")
tf.get_default_graph()
""",
    """
session = tf.Session("ray")
session.run(y, {x: [1.0, 2.0]}).tolist()
""",
    """
import ray
from ray._private import worker
actors = [actor["Pid"] for actor in ray._private.state.actors().values()]
[*actors, worker._global_node.all_processes["raylet"][0].process.pid]
""",
    """
step = tf.train.get_or_create_global_step().assign_add(1)
with tf.train.MonitoredSession(hooks=[tf.train.ProgressHook(2, "<b>")]) as monitored:
    monitored.run(step)
    monitored.run(step)
""",
)

# Jupyter's client leaves sockets to the end of its process.
_RUN = """
import json, sys
import nbformat
from jupyter_client.manager import KernelManager
from nbclient import NotebookClient

cells = [nbformat.v4.new_code_cell(text) for text in json.load(sys.stdin)]
notebook = nbformat.v4.new_notebook(cells=cells)
manager = KernelManager(kernel_name="python3")
manager.kernel_spec.argv[0] = sys.executable
NotebookClient(notebook, km=manager, timeout=250).execute()
print(json.dumps([
    [dict(output.data) for output in cell.outputs if "data" in output]
    for cell in notebook.cells
]))
"""


def _is_there(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2]
    except FileNotFoundError:
        return False
    return state.split()[0] != "Z"


@pytest.mark.ray(own=True)
@pytest.mark.slow
def test_a_notebook(tmp_path: Path) -> None:
    root = str(Path(__file__).parents[2])
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", _RUN],
        input=json.dumps(_CELLS),
        env={**os.environ, "PYTHONPATH": root, "IPYTHONDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    results: list[list[dict[str, Any]]] = json.loads(done.stdout)
    (drawn,), (result,), (processes,), (bar,) = results
    assert "dataflow-graph" in drawn["text/html"]
    assert "product" in drawn["text/html"]
    assert result["text/plain"] == "[3.0, 6.0]"
    assert bar["text/html"] == '<progress value="2" max="2"></progress> &lt;b&gt; 2/2'
    numbers = json.loads(processes["text/plain"])
    assert len(numbers) == 2
    assert eventually(lambda: not any(map(_is_there, numbers)), 60.0)
