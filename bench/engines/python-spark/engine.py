"""The Spark engine of the benchmark: jobs and columns on a local session, behind the protocol of docs/design/bench.md."""

import os
import sys

_PYTHON = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "python")
sys.path.insert(0, _PYTHON)


def main() -> None:
    import columns
    import engine as python
    import spark_jobs
    from protocol import serve

    serve("python-spark", python.about, {**spark_jobs.OPERATIONS, **columns.OPERATIONS})


if __name__ == "__main__":
    main()
