"""A pytest plugin with the fixture `assert_perft`, which checks a move generator with the built-in suites."""

import pytest


@pytest.fixture(name="assert_perft")
def _assert_perft():  # type: ignore[no-untyped-def]
    """`assert_perft(generator, *suites, …)`: see manyply.testing."""
    from .testing import assert_perft

    return assert_perft
