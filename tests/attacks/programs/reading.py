"""Programs that try to get at the references, out of the sandbox, or at its keeper.

Copied beside a candidate and run one function at a time, as the candidate's entry point. Each returns what it
got as text in one row; nothing is what it should get. `BEACON` is replaced by the folder of the references.
"""

import ctypes
import gc
import glob
import os
import signal
import socket
import subprocess
import sys

REFS = "@REFS@"
CONTROLLER = int("@CONTROLLER@" if "@CONTROLLER@".isdigit() else 1)


def told(spark, got):
    """One row with what an attack got."""
    return spark.createDataFrame([(str(got)[:100000],)], "got string")


def attempt(action):
    try:
        return action()
    except BaseException as error:
        return f"refused: {type(error).__name__}: {error}"


def read(path):
    with open(path, "rb") as file:
        return file.read(1 << 20).decode(errors="replace")


def by_absolute_path(spark, tables):
    return told(spark, attempt(lambda: read(f"{REFS}/t/reference.sql")))


def by_relative_path(spark, tables):
    here = os.path.relpath(REFS, os.path.dirname(os.path.abspath(__file__)))
    os.chdir(os.path.dirname(os.path.abspath(__file__)))
    return told(spark, attempt(lambda: read(f"{here}/t/reference.sql")))


def by_walking_up(spark, tables):
    got, folder = [], os.path.dirname(os.path.abspath(__file__))
    # Outside it is found two folders up; there is no need to read the whole machine.
    while folder != "/" and not got:
        folder = os.path.dirname(folder)
        for found in (
            glob.glob(f"{folder}/**/reference.sql", recursive=True) if folder not in ("/", "/tmp") else ()
        ):
            got.append(attempt(lambda found=found: read(found)))
    return told(spark, got)


def by_searching_everything(spark, tables):
    got = []
    for top in ("/home", "/root", "/tmp", "/var", "/srv", "/mnt", "/opt", "/run"):
        for folder, folders, files in os.walk(top):
            folders[:] = [name for name in folders if name not in ("site-packages", "lib", "proc")]
            got += [attempt(lambda f=f, d=folder: read(f"{d}/{f}")) for f in files if f == "reference.sql"]
    return told(spark, got)


def by_link_in_temporary_folder(spark, tables):
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        os.symlink(f"{REFS}/t/reference.sql", f"{folder}/link.sql")
        return told(spark, attempt(lambda: read(f"{folder}/link.sql")))


def by_link_beside_the_program(spark, tables):
    """The link is in the suite's folder already; it leads out of it."""
    return told(
        spark,
        attempt(lambda: read(os.path.join(os.path.dirname(os.path.abspath(__file__)), "leading_out.sql"))),
    )


def by_working_folders_of_processes(spark, tables):
    got = [attempt(lambda p=p: read(f"{p}/refs/t/reference.sql")) for p in glob.glob("/proc/[0-9]*/cwd")]
    return told(spark, got)


def by_root_of_processes(spark, tables):
    got = [attempt(lambda p=p: read(f"{p}{REFS}/t/reference.sql")) for p in glob.glob("/proc/[0-9]*/root")]
    return told(spark, got)


def by_open_files_of_processes(spark, tables):
    got = []
    for handle in glob.glob("/proc/[0-9]*/fd/*"):
        target = attempt(lambda handle=handle: os.readlink(handle))
        got.append(target)
        if target.startswith("/") and not target.startswith(("/dev", "/proc")):
            got.append(attempt(lambda handle=handle: read(handle)))
    return told(spark, got)


def by_environment_of_processes(spark, tables):
    return told(spark, [attempt(lambda p=p: read(p)) for p in glob.glob("/proc/[0-9]*/environ")])


def by_arguments_of_processes(spark, tables):
    return told(spark, [attempt(lambda p=p: read(p)) for p in glob.glob("/proc/[0-9]*/cmdline")])


def by_memory_of_the_parent(spark, tables):
    def look():
        got = []
        for pid in (os.getppid(), CONTROLLER):
            for line in read(f"/proc/{pid}/maps").splitlines()[:2000]:
                if "rw-p" not in line:
                    continue
                low, high = (int(each, 16) for each in line.split()[0].split("-"))
                with open(f"/proc/{pid}/mem", "rb") as memory:
                    memory.seek(low)
                    text = memory.read(min(high - low, 1 << 24)).decode(errors="replace")
                got += [part[:200] for part in text.split("CANARY")[1:3]]
        return got

    return told(spark, attempt(look))


def by_reading_another_process(spark, tables):
    libc = ctypes.CDLL(None, use_errno=True)
    status = libc.ptrace(16, CONTROLLER, 0, 0)
    return told(spark, f"refused: {ctypes.get_errno()}" if status else "attached")


def by_all_objects(spark, tables):
    got = [
        each for each in gc.get_objects() if isinstance(each, (str, dict, list)) and REFS in repr(each)[:5000]
    ]
    # This module's own constants say where they would be; they are not the references.
    got = [each for each in got if isinstance(each, str) and each not in (REFS, __file__)]
    return told(spark, got)


def by_frames_of_callers(spark, tables):
    frame, got = sys._getframe(), []
    while frame is not None:
        got += [repr(value)[:300] for value in frame.f_locals.values() if "CANARY" in repr(value)[:5000]]
        frame = frame.f_back
    return told(spark, got)


def by_settings_of_pytest(spark, tables):
    import _pytest.config

    got = []
    for each in gc.get_objects():
        if isinstance(each, _pytest.config.Config):
            got.append(repr(vars(each.option)))
    return told(spark, got)


def by_what_spark_reads(spark, tables):
    def look():
        return spark.read.text(f"{REFS}/t/reference.sql").collect()

    return told(spark, attempt(look))


def by_sql_on_files(spark, tables):
    return told(
        spark, attempt(lambda: spark.sql(f"SELECT * FROM parquet.`{REFS}/t/secret.parquet`").collect())
    )


def by_location_of_a_table(spark, tables):
    def look():
        spark.sql(f"CREATE TABLE stolen (secret STRING) USING parquet LOCATION '{REFS}/t/secret.parquet'")
        return spark.table("stolen").collect()

    return told(spark, attempt(look))


def by_a_function_on_another_process(spark, tables):
    from pyspark.sql import functions as F

    def look(_):
        try:
            with open(f"{REFS}/t/reference.sql") as file:
                return file.read()
        except OSError as error:
            return f"refused: {error}"

    return spark.range(1).select(F.udf(look)("id").alias("got"))


def by_a_shell(spark, tables):
    done = subprocess.run(
        ["/bin/sh", "-c", f"cat {REFS}/t/reference.sql; ls -R {REFS}"], capture_output=True, text=True
    )
    return told(spark, done.stdout)


def by_history_of_the_repository(spark, tables):
    got = []
    for folder in (os.path.dirname(REFS), os.path.dirname(os.path.abspath(__file__)), "@ROOT@"):
        done = subprocess.run(
            ["git", "-C", folder, "show", "HEAD:refs/t/reference.sql"], capture_output=True, text=True
        )
        got += [done.stdout, attempt(lambda folder=folder: os.listdir(f"{folder}/.git"))]
    return told(spark, got)


def by_the_installed_statements(spark, tables):
    """The plugin brings hand-written programs for the benchmark's tasks."""
    import pytest_lockin

    home = os.path.dirname(pytest_lockin.__file__)
    return told(spark, [attempt(lambda p=p: read(p)) for p in glob.glob(f"{home}/taskbank/programs/*.py")])


def by_the_benchmark_in_duckdb(spark, tables):
    def look():
        import duckdb
        import duckdb_extension_tpcds

        folder = os.path.dirname(duckdb_extension_tpcds.__file__)
        return [name for _, _, files in os.walk(folder) for name in files]

    return told(spark, attempt(look))


def hidden_obligations(spark, tables):
    here = os.path.dirname(os.path.abspath(__file__))
    return told(spark, attempt(lambda: read(f"{here}/task.yaml")))


def other_suites(spark, tables):
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    return told(spark, [attempt(lambda p=p: read(p)) for p in glob.glob(f"{here}/*/solution.py")])


def secrets_of_the_environment(spark, tables):
    return told(spark, dict(os.environ))


def write_beside_the_program(spark, tables):
    def act():
        with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "test_solution.py"), "a") as file:
            file.write("\n")
        return "written"

    return told(spark, attempt(act))


def write_to_the_plugin(spark, tables):
    import pytest_lockin

    def act():
        with open(pytest_lockin.__file__, "a") as file:
            file.write("\n")
        return "written"

    return told(spark, attempt(act))


def write_a_path_file(spark, tables):
    import sysconfig

    def act():
        with open(f"{sysconfig.get_paths()['purelib']}/evil.pth", "w") as file:
            file.write("import os\n")
        return "written"

    return told(spark, attempt(act))


def write_a_sitecustomize(spark, tables):
    got = []
    for folder in sys.path:

        def act(folder=folder):
            with open(f"{folder}/sitecustomize.py", "w") as file:
                file.write("1\n")
            return "written"

        got.append(attempt(act))
    return told(spark, got)


def write_kernel_settings(spark, tables):
    """Root outside owns them inside; one names a program that the kernel starts outside the sandbox."""
    got = []
    for path in (
        "/proc/sys/kernel/core_pattern",
        "/proc/sys/kernel/modprobe",
        "/proc/sys/vm/drop_caches",
        "/proc/sysrq-trigger",
    ):

        def act(path=path):
            os.close(os.open(path, os.O_WRONLY))
            return "written"

        got.append(attempt(act))
    return told(spark, got)


def delete_the_working_folder(spark, tables):
    import shutil

    shutil.rmtree(os.getcwd(), ignore_errors=True)
    shutil.rmtree(os.path.dirname(os.path.abspath(__file__)), ignore_errors=True)
    return told(spark, sorted(os.listdir(os.path.dirname(os.path.abspath(__file__)))))


def mount_something(spark, tables):
    libc = ctypes.CDLL(None, use_errno=True)
    status = libc.mount(b"none", b"/tmp", b"tmpfs", 0, None)
    return told(spark, f"refused: {ctypes.get_errno()}" if status else "mounted")


def new_user_namespace(spark, tables):
    libc = ctypes.CDLL(None, use_errno=True)
    status = libc.unshare(0x10000000)
    return told(spark, f"refused: {ctypes.get_errno()}" if status else "unshared")


def join_namespaces(spark, tables):
    libc = ctypes.CDLL(None, use_errno=True)

    def act():
        handle = os.open("/proc/1/ns/mnt", os.O_RDONLY)
        return "joined" if libc.setns(handle, 0) == 0 else f"refused: {ctypes.get_errno()}"

    return told(spark, attempt(act))


def signal_the_controller(spark, tables):
    got = [attempt(lambda: os.kill(CONTROLLER, signal.SIGTERM))] if CONTROLLER > 1 else []
    got.append(attempt(lambda: os.kill(1, 0)))
    others = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    return told(spark, f"{len(others)} processes; {got[0] if CONTROLLER > 1 else ''}")


def connect_out(spark, tables):
    got = []
    for address in (
        ("192.0.2.1", 80),
        ("1.1.1.1", 53),
        ("127.0.0.1", int("@PORT@" if "@PORT@".isdigit() else 1)),
    ):

        def act(address=address):
            with socket.create_connection(address, timeout=3) as connection:
                return f"connected {connection.recv(100)}"

        got.append(attempt(act))
    return told(spark, got)


def ask_for_names(spark, tables):
    return told(spark, attempt(lambda: socket.getaddrinfo("example.com", 80)))


def talk_to_the_hypervisor(spark, tables):
    def act():
        with socket.socket(40, socket.SOCK_STREAM) as connection:
            connection.settimeout(2)
            connection.connect((2, 1024))
            return "connected"

    return told(spark, attempt(act))


def abstract_sockets(spark, tables):
    def act():
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect("\0@ABSTRACT@")
            return f"connected {connection.recv(100)}"

    return told(spark, attempt(act))


def gain_by_a_set_uid_program(spark, tables):
    done = subprocess.run(
        ["/bin/sh", "-c", "su -c id nobody; mount -t tmpfs x /tmp"], capture_output=True, text=True
    )
    return told(spark, done.stdout)
