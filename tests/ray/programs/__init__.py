"""Programs on a Ray of their own or another one: how they join it, run as jobs, are interrupted."""
