"""Do one step, or let the server of the workflow do it."""

import os
import sys

from grambench.pipeline import client

if __name__ == "__main__":
    spec = sys.stdin.buffer.read().decode().rstrip("\n")
    client.ask(sys.argv[1:], spec)
    # imported only if no server has answered; libraries read the environment as they are imported
    from grambench.common import environment

    os.environ.update(environment.COMPUTING)
    from grambench.pipeline.job import Job, call

    call(sys.argv[1], Job.parse(sys.argv[2:], spec))
