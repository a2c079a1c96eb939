"""Tests; a package so that test modules can share helpers by absolute import."""
