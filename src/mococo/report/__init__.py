"""Figures, and tables for LaTeX, of runs and policies."""
