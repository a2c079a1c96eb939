"""What crosses between session, master, workers and devices: frozen dataclasses."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from dataflow.errors import ErrorReport
from dataflow.values.device_info import DeviceInfo


@dataclass(frozen=True, slots=True)
class DevicePart:
    """What one device does in the steps of a signature."""

    device: str
    plan: int
    """Id of the plan on that device."""
    feeds: tuple[int, ...]
    """Which of the signature's feeds it takes, by index."""
    fetches: tuple[int, ...]
    """Which of the signature's fetches it gives, by index, in the order it gives them."""
    only_sends: bool = False
    """All that it computes goes to other devices: when these are done, so is it."""
    waits: bool = False
    """It can do nothing before others have sent it something."""
    python_calls: tuple[str, ...] = ()
    """Tokens of the Python functions that its nodes call."""


@dataclass(frozen=True, slots=True)
class OpenDevice:
    """To a new device actor: what it is."""

    cluster: str
    """Of all actors that belong together; the first part of their names."""
    device: str
    """Full name."""
    sharers: int
    """Number of device actors that share the processor cores of the machine."""
    config: bytes
    """A serialized ConfigProto."""
    restarts: int = 0
    """How often its task was started again after a death."""
    cores: int = 0
    """How many cores of the machine they share, if Ray was given fewer than there are."""


@dataclass(frozen=True, slots=True)
class OpenWorker:
    """To a new worker actor: what it is."""

    cluster: str
    task: str
    devices: tuple[str, ...]
    """Full names of its devices."""
    returns: bool = False
    """If the task dies, it will be started again."""


@dataclass(frozen=True, slots=True)
class OpenMaster:
    """To a new master actor: what it is."""

    cluster: str
    task: str
    """The task whose devices its sessions prefer."""
    tasks: tuple[str, ...]
    """All tasks of the cluster."""
    returns: bool = False
    """If the master dies, it will be started again."""
    is_closed: bool = False
    """No other server starts tasks of the cluster."""
    tasks_return: bool = True
    """If a task dies that has told nothing yet, it may be started again."""


@dataclass(frozen=True, slots=True)
class Describe:
    """To a device or worker: answer with `Opened` when ready."""


@dataclass(frozen=True, slots=True)
class Opened:
    """From a device or worker that is ready: its devices."""

    devices: tuple[DeviceInfo, ...]
    returns: bool = False
    """If the task dies, it will be started again."""


@dataclass(frozen=True, slots=True)
class AskUsage:
    """To a device: answer with `DeviceUsage`."""


@dataclass(frozen=True, slots=True)
class DeviceUsage:
    """What a device holds, to look for what a closed session has left."""

    plans: int
    steps: int
    """That run now."""
    piecewise: int
    """Piecewise steps of calls whose end has not been asked for."""
    rendezvous: int
    """Steps for which values have arrived or are waited for."""
    kernels: int
    """Kernels that keep state for their session."""
    isolated: int
    """Sessions with a state of their own."""


@dataclass(frozen=True, slots=True)
class Done:
    """The answer to what asks for nothing but to be done."""


@dataclass(frozen=True, slots=True)
class AskLane:
    """To a device: where can a lane to it be opened?"""

    node: str
    """Ray's id of the machine of who asks."""


@dataclass(frozen=True, slots=True)
class LaneOffer:
    """The answer to `AskLane`."""

    way: str
    """ "near" on one machine, "far" across; empty if there is none."""
    host: str
    """The name of a Unix socket in the abstract namespace, or an internet address."""
    port: int
    secret: bytes = field(repr=False)
    """By which both ends prove who they are; nothing that is logged shows it."""
    encrypted: bool = False
    """TLS is spoken there."""
    incarnation: int = 0
    """Of the device that makes the offer: see `DeviceInfo`."""


KEPT_BYTES: Final = 1 << 30
"""Of `PlanOptions.kept_bytes`, where the session's options do not say it."""


@dataclass(frozen=True, slots=True)
class PlanOptions:
    """How the plans of a step are made."""

    piecewise: bool = False
    """Steps are fed and fetched piece by piece."""
    lower_control_flow: bool = True
    """Loops and branches are to run as such where they are structured."""
    fuses: bool = True
    """Elementwise nodes are to run together: over large arrays in blocks, over small ones in
    programs of a virtual machine."""
    kept_bytes: int = KEPT_BYTES
    """How much memory filters in the layouts of a library may take, for each plan."""


@dataclass(frozen=True, slots=True)
class RegisterGraph:
    """Master to worker, and worker to device: build the plans of a partition."""

    session: int
    graph: bytes
    """A serialized GraphDef, its nodes placed."""
    options: PlanOptions = field(default_factory=PlanOptions)
    isolated: bool = False
    """The session shares no state with others."""
    peers: tuple[tuple[str, int], ...] = ()
    """Devices of other tasks that values go to, and their incarnations."""


@dataclass(frozen=True, slots=True)
class GraphRegistered:
    """The answer to `RegisterGraph`."""

    handle: int
    """By which the worker knows the graph."""
    parts: tuple[DevicePart, ...]


@dataclass(frozen=True, slots=True)
class DeregisterGraph:
    """Master to worker: free the plans of a graph."""

    handle: int


@dataclass(frozen=True, slots=True)
class DeregisterPlan:
    """Worker to device: free a plan."""

    plan: int


@dataclass(frozen=True, slots=True)
class RunStep:
    """Session to device: run a plan."""

    plan: int
    step: int
    """A new id, the same on all devices."""
    feeds: tuple[Any, ...]
    """In the order of the `DevicePart`'s feeds; none of a piecewise step."""
    low_water: int = 0
    """No step of the session with a lower id is running any more."""
    trace: bool = False
    """Record when each node ran."""
    piecewise: bool = False
    """Feeds follow one by one, and fetches are sent as they come."""
    silent: bool = False
    """There is no answer unless the step fails: see `DevicePart.only_sends`."""


@dataclass(frozen=True, slots=True)
class NodeTiming:
    """When a node ran."""

    name: str
    op: str
    start: float
    """Seconds since the epoch."""
    end: float
    inputs: tuple[str, ...] = ()
    outputs: tuple[tuple[int, str, tuple[int, ...], int], ...] = ()
    """For each output its index, dtype name, shape and size in bytes."""


@dataclass(frozen=True, slots=True)
class StepDone:
    """Device to session: the plan has run."""

    step: int
    fetches: tuple[Any, ...]
    """In the order of the `DevicePart`'s fetches."""
    timings: tuple[NodeTiming, ...] = ()


@dataclass(frozen=True, slots=True)
class StepFailed:
    """Device to session: the step failed on this device, or was aborted there."""

    step: int
    error: ErrorReport
    timings: tuple[NodeTiming, ...] = ()


@dataclass(frozen=True, slots=True)
class AbortStep:
    """Session to device: stop a step, because of this error elsewhere."""

    step: int
    error: ErrorReport


@dataclass(frozen=True, slots=True)
class SendTensor:
    """Device to device: a value for the receiver's rendezvous."""

    step: int
    key: str
    value: Any
    dead: bool = False
    mark: int = 0
    """If it is not 0, the sender wants to know when the value was taken."""


@dataclass(frozen=True, slots=True)
class TensorsTaken:
    """Device to device: the receiver has taken values that were marked."""

    marks: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SendTensors:
    """Device to device: what was ready to go to the same peer at the same time."""

    tensors: tuple[SendTensor, ...]
    large: tuple[SendTensor, ...] = ()
    """Tensors whose values follow, in this order, each as a `TensorValue` of its own."""


@dataclass(frozen=True, slots=True)
class TensorValue:
    """A value that travels alone, so that it is stored once for several receivers."""

    value: Any


@dataclass(frozen=True, slots=True)
class FeedStep:
    """Session to device: one more feed of a piecewise step."""

    step: int
    index: int
    value: Any


@dataclass(frozen=True, slots=True)
class FetchReady:
    """Device to session: one more fetch of a piecewise step."""

    step: int
    index: int
    value: Any
    dead: bool = False


@dataclass(frozen=True, slots=True)
class NextFetch:
    """Session to device: answer with the next fetch of a piecewise step, or its end."""

    step: int


@dataclass(frozen=True, slots=True)
class CreateSession:
    """Session to master: open a session."""

    config: bytes
    """A serialized ConfigProto."""
    timeout: float
    """Seconds to wait for tasks that have not started."""
    client: str = ""
    """Of the process that opens it, as in `Attend`; "" if nobody looks whether it lives."""
    number: int = 0
    """The number it had at a master that died, and has on the devices; 0 for a new session."""


@dataclass(frozen=True, slots=True)
class SessionCreated:
    """The answer to `CreateSession`."""

    session: int
    devices: tuple[DeviceInfo, ...]
    returns: tuple[str, ...] = ()
    """Tasks that will be started again if they die; "" stands for the master."""


@dataclass(frozen=True, slots=True)
class RenewTasks:
    """Session to master: these tasks were started again and have none of its plans any more."""

    session: int
    tasks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Attend:
    """Client to master: close its sessions when it dies."""

    client: str


@dataclass(frozen=True, slots=True)
class ExtendSession:
    """Session to master: nodes added to its graph."""

    session: int
    graph: bytes


@dataclass(frozen=True, slots=True)
class PrepareStep:
    """Session to master: prune, place, split and register what a signature needs."""

    session: int
    feeds: tuple[str, ...]
    fetches: tuple[str, ...]
    targets: tuple[str, ...]
    connections: tuple[tuple[str, str], ...]
    watches: tuple[tuple[str, str], ...]
    piecewise: bool = False
    renewed: bool = False
    """It was prepared before, for tasks that have died since: it counts no further use."""


@dataclass(frozen=True, slots=True)
class StepPlan:
    """The answer to `PrepareStep`: who takes which feeds and gives which fetches."""

    session: int
    handle: int
    """By which the master knows the plan."""
    parts: tuple[DevicePart, ...]
    needs: tuple[tuple[int, ...], ...] = ()
    """Of a piecewise step: for each fetch the feeds that it depends on."""


@dataclass(frozen=True, slots=True)
class ReleaseStep:
    """Session to master: take back one use of the plan of a signature."""

    session: int
    feeds: tuple[str, ...]
    fetches: tuple[str, ...]
    targets: tuple[str, ...]
    connections: tuple[tuple[str, str], ...]
    watches: tuple[tuple[str, str], ...]
    piecewise: bool = False


@dataclass(frozen=True, slots=True)
class PartitionGraphs:
    """Session to master: the graphs that the devices run for a signature."""

    session: int
    feeds: tuple[str, ...]
    fetches: tuple[str, ...]
    targets: tuple[str, ...]
    connections: tuple[tuple[str, str], ...]
    watches: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Graphs:
    """The answer to `PartitionGraphs`."""

    graphs: tuple[bytes, ...]
    """Serialized GraphDefs."""


@dataclass(frozen=True, slots=True)
class ResetContainers:
    """To master, worker and device: forget the resources of these containers."""

    containers: tuple[str, ...]
    """The master takes none for the default one."""


@dataclass(frozen=True, slots=True)
class CloseSession:
    """Session to master, master to workers and devices: cancel its steps, free what it has."""

    session: int


Message = (
    OpenDevice
    | OpenWorker
    | OpenMaster
    | Describe
    | Opened
    | AskUsage
    | DeviceUsage
    | Done
    | AskLane
    | LaneOffer
    | RegisterGraph
    | GraphRegistered
    | DeregisterGraph
    | DeregisterPlan
    | RunStep
    | StepDone
    | StepFailed
    | AbortStep
    | SendTensor
    | TensorsTaken
    | SendTensors
    | TensorValue
    | FeedStep
    | NextFetch
    | FetchReady
    | CreateSession
    | SessionCreated
    | RenewTasks
    | Attend
    | ExtendSession
    | PrepareStep
    | StepPlan
    | ReleaseStep
    | PartitionGraphs
    | Graphs
    | ResetContainers
    | CloseSession
    | ErrorReport
)
"""Everything that crosses a process; also an error, as the answer to any request."""
