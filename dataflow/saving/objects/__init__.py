"""SavedModels of objects: variables, functions, tables and files by the names of attributes."""
