import fcntl
import pickle

import pytest
from gallery import write_gallery
from plugin_project import Project


@pytest.fixture
def project(tmp_path):
    """An empty project; nothing it started may outlive the test."""
    made = Project(tmp_path.resolve())
    yield made
    assert made.leftovers() == []


@pytest.fixture(scope="session")
def gallery(tmp_path_factory, worker_id):
    """One run over many suites, each with one trait; made once, also where xdist shares the tests out."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if worker_id != "master" else base
    with (shared / "gallery.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        kept = shared / "gallery.pickle"
        if not kept.exists():
            kept.write_bytes(pickle.dumps(_run_gallery(Project(shared.resolve() / "gallery"))))
        return pickle.loads(kept.read_bytes())


def _run_gallery(project):
    write_gallery(project)
    ran = project.run("suites", "tests", "-rA", "--continue-on-collection-errors", junit=True)
    assert project.leftovers() == []
    return ran
