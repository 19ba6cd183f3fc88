"""Solvers of the convex problems inside kernel learning, one problem one module; they see arrays only."""
