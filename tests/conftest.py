"""What all tests share: hypothesis' settings, and the order of the tests."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings

# The same examples everywhere, and no clock: a slow machine must not fail a test. To look further than CI does, say
# `pytest tests/properties --hypothesis-profile=explore`: new examples every time, and many more of them.
settings.register_profile(
    "mococo", deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile(
    "explore", deadline=None, database=None, max_examples=3000, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("mococo")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Slow tests first: the other workers have enough to do beside them, and nobody waits for them at the end."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)
