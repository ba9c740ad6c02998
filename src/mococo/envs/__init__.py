"""Environments: the spec, the registry, and one short file for each compiled one."""
