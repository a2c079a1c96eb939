"""Lookup tables: what fills them, and tables that are static, mutable, or of vocabularies."""
