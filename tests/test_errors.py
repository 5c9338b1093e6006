"""Every kind of error is a PateError, and says by its exit code what to mend."""

import pytest

from pate import errors


@pytest.mark.parametrize(
    ("name", "code"),
    [("PateError", 1), ("ConfigError", 2), ("BudgetExceeded", 3), ("GraphError", 1), ("DamagedArtifact", 1)],
)
def test_exit_codes(name, code):
    kind = getattr(errors, name)
    assert issubclass(kind, errors.PateError)
    assert kind.exit_code == code
