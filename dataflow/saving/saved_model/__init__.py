"""SavedModels: folders with graphs, their signatures, variables and the files they need."""
