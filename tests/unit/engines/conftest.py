"""Engines in processes of their own: one Sail for the run, one JVM for the run and a fresh worker on it."""

import pytest
from engine_host import EngineHost

from pytest_lockin.engines.base import EngineOptions


@pytest.fixture(scope="session")
def _sail_host(tmp_path_factory):
    host = EngineHost("sail", EngineOptions(scratch=str(tmp_path_factory.mktemp("sail"))))
    yield host
    host.close()


@pytest.fixture(scope="session")
def jvm(tmp_path_factory):
    """A running JVM that workers attach to."""
    from pytest_lockin.engines.jvm import start_jvm
    from pytest_lockin.engines.preflight import java_home

    if java_home() is None:
        pytest.skip("no Java")
    handle = start_jvm(tmp_path_factory.mktemp("jvm"))
    yield handle
    handle.stop()


@pytest.fixture(scope="session")
def attach(jvm, tmp_path_factory):
    """Start workers on the JVM; all are ended with the run."""
    hosts = []

    def start(**options):
        scratch = str(tmp_path_factory.mktemp("spark"))
        asked = EngineOptions(gateway_port=jvm.port, gateway_secret=jvm.secret, scratch=scratch, **options)
        hosts.append(EngineHost("spark", asked))
        return hosts[-1]

    yield start
    for host in hosts:
        if host.process.poll() is None:
            host.close()


@pytest.fixture(scope="session")
def _spark_host(attach):
    return attach()


def _clean(engine):
    engine.reset()
    engine.hide()


@pytest.fixture
def sail(_sail_host):
    """A clean Sail engine, hidden; call it with a function to run there."""
    _sail_host(_clean)
    return _sail_host


@pytest.fixture
def spark(_spark_host):
    """A clean classic engine, hidden; call it with a function to run there."""
    _spark_host(_clean)
    return _spark_host


@pytest.fixture(params=["sail", pytest.param("spark", marks=pytest.mark.spark)])
def engine_name(request):
    return request.param


@pytest.fixture
def engine(engine_name, request):
    """Each engine in turn: what a test says here holds for both."""
    return request.getfixturevalue(engine_name)
