"""Calls of Snakemake in forks of a process that has imported it, which takes as long as to plan a small study."""

import atexit
import contextlib
import functools
import json
import os
import subprocess
import sys


@functools.cache
def importer():
    """Start the process; it ends with this one."""
    command = [sys.executable, __file__]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
    atexit.register(process.communicate)
    return process


def snakemake(folder, environment, *arguments):
    """Call Snakemake in a folder; return its exit code and what it has said."""
    output = folder / ".snakemake.txt"
    process = importer()
    process.stdin.write(json.dumps([str(folder), environment, str(output), arguments]) + "\n")
    code = int(process.stdout.readline())
    said = output.read_text()
    output.unlink()
    return code, said


def _serve():
    from snakemake import cli

    for line in sys.stdin:
        if not (pid := os.fork()):
            _call(cli.main, *json.loads(line))
        sys.stdout.write(f"{os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])}\n")
        sys.stdout.flush()


def _call(main, folder, environment, output, arguments):
    """Do what `python -m snakemake` does, and end this process."""
    code = 1
    try:
        for path, streams in ((os.devnull, [0]), (output, [1, 2])):
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o644)
            for stream in streams:
                os.dup2(descriptor, stream)
            os.close(descriptor)
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environment)
        sys.path[:1] = [folder, environment["PYTHONPATH"]]
        sys.argv[1:] = arguments
        main()
    except SystemExit as end:
        code = end.code
    finally:
        with contextlib.suppress(BaseException):
            atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    _serve()
