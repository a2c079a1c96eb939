from dataflow import *  # noqa: F403
