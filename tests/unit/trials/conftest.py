import pytest


@pytest.fixture
def folder(tmp_path):
    """A suite's folder, by its real path: workers compare paths as they are."""
    made = tmp_path.resolve() / "suite"
    made.mkdir()
    return made
