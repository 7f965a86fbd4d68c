"""The published study as folders of runs, written once, and its result."""

import pytest
from study_runs import write_paper_runs, write_replication


@pytest.fixture(scope="session")
def paper_runs(tmp_path_factory):
    runs = tmp_path_factory.mktemp("study") / "runs"
    runs.mkdir()
    write_paper_runs(runs)
    return runs


@pytest.fixture(scope="session")
def paper_replication(tmp_path_factory):
    runs = tmp_path_factory.mktemp("study") / "replication"
    runs.mkdir()
    write_replication(runs)
    return runs


@pytest.fixture(scope="session")
def paper_result(paper_runs, paper_replication):
    from pytest_lockin.studies.planaudit import evaluate

    return evaluate(paper_runs, replication=paper_replication)
