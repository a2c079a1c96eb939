"""NodeGraph, the back end's graph, and what every pass asks of it; knows no pass."""
