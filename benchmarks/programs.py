"""All programs of the local benchmark, in the order of its table."""

from __future__ import annotations

from program import Program
from programs_control import CONTROL
from programs_kernels import KERNELS
from programs_models import MODELS
from programs_more import MORE
from programs_nets import NETS
from programs_recurrent import RECURRENT
from programs_steps import STEPS

PROGRAMS: tuple[Program, ...] = (*STEPS, *KERNELS, *NETS, *CONTROL, *RECURRENT, *MODELS, *MORE)
