# SPDX-License-Identifier: Apache-2.0
"""Runs many command lines of ptxmir-gpu-run in few processes: starting the driver takes longer than most kernels."""

import concurrent.futures
import dataclasses
import os
import select
import subprocess
import tempfile
import time


# The commands of a process.
_MOST_AT_ONCE = 500


@dataclasses.dataclass
class GpuRun:
    message: str = ""  # empty: the run succeeded
    microseconds: float = 0  # with --time
    copies: int = 0  # with --fill


def _read_within(stream, seconds):
    """Returns some bytes, none at the end of the stream, or None after this time."""
    ready, _, _ = select.select([stream], [], [], seconds)
    return os.read(stream.fileno(), 1 << 16) if ready else None


def _run_until_failure(gpu_run, commands, timeout):
    """Returns the GpuRuns of the first commands: of all, or up to and with the first that fails."""
    with tempfile.NamedTemporaryFile("w") as script, tempfile.TemporaryFile("w+") as errors:
        script.write("".join(" ".join(command) + "\n" for command in commands))
        script.flush()
        with subprocess.Popen([gpu_run, f"--commands={script.name}"], stdout=subprocess.PIPE, stderr=errors) as process:
            runs, current, text, deadline = [], GpuRun(), b"", time.monotonic() + timeout
            while chunk := _read_within(process.stdout, max(0, deadline - time.monotonic())):
                *lines, text = (text + chunk).split(b"\n")
                for line in lines:
                    if not line.startswith(b"ptxmir-gpu-run: "):
                        continue  # the kernel printed it
                    if line.endswith(b" us"):
                        current.microseconds = float(line.split()[1])
                    elif line.endswith(b" copies"):
                        current.copies = int(line.split()[1])
                    else:
                        runs.append(current)
                        current, deadline = GpuRun(), time.monotonic() + timeout
            if chunk is None:
                process.kill()
                return runs + [GpuRun(f"not done in {timeout} seconds")]
            process.wait()
        if len(runs) == len(commands):
            return runs
        errors.seek(0)
        return runs + [GpuRun(errors.read().strip() or f"exit status {process.returncode}")]


def run_batch(gpu_run, commands, timeout, budget=float("inf")):
    """Returns the GpuRun of each command, which is a list of words without blanks. A process that fails is followed by
    a new one, since an error on a GPU ends all work of a process. What has not been run after `budget` seconds is not."""
    runs, end = [], time.monotonic() + budget
    while len(runs) < len(commands):
        if time.monotonic() > end:
            return runs + [GpuRun("no time was left")] * (len(commands) - len(runs))
        runs += _run_until_failure(gpu_run, commands[len(runs):len(runs) + _MOST_AT_ONCE], timeout)
    return runs


def run_batches(gpu_run, commands, timeout, num_processes):
    """Does the same with several processes at a time."""
    size = max(1, -(-len(commands) // num_processes))
    batches = [commands[at:at + size] for at in range(0, len(commands), size)]
    with concurrent.futures.ThreadPoolExecutor(num_processes) as pool:
        return [run for runs in pool.map(lambda batch: run_batch(gpu_run, batch, timeout), batches) for run in runs]
