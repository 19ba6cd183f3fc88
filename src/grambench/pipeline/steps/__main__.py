"""Do one step, or let the server of the workflow do it."""

import sys

from grambench.pipeline import client

if __name__ == "__main__":
    client.ask(sys.argv[1:])
    # imported only if no server has answered
    from grambench.pipeline.job import Job, call

    call(sys.argv[1], Job.parse(sys.argv[2:]))
