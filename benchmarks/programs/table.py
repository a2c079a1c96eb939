"""All programs of the local benchmark, in the order of its table."""

from __future__ import annotations

from programs.control import CONTROL
from programs.kernels import KERNELS
from programs.layers import LAYERS
from programs.models import MODELS
from programs.more import MORE
from programs.nets import NETS
from programs.program import Program
from programs.recurrent import RECURRENT
from programs.steps import STEPS
from programs.trainings import TRAININGS

PROGRAMS: tuple[Program, ...] = (
    *STEPS,
    *KERNELS,
    *NETS,
    *CONTROL,
    *RECURRENT,
    *LAYERS,
    *MODELS,
    *MORE,
    *TRAININGS,
)
