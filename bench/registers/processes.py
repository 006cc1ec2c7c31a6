# SPDX-License-Identifier: Apache-2.0

"""Finds tools and runs them, and measures their CPU time."""

import dataclasses
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading

# A tool that was killed (nvcc reports it for a child) says nothing about its input. A tool that crashed does.
_KILLED = re.compile(r"died (due to|with) signal|out of memory", re.IGNORECASE)
_CRASHES = (signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGSEGV, signal.SIGTRAP)
# Matches the lines that report a problem.
_COMPLAINT = re.compile(r"error|fatal|crash|bug report|gave up", re.IGNORECASE)


def find_tool(name):
    """Returns the path of a tool on PATH, in $CUDA_HOME/bin or in CUDA's usual folder, or None."""
    for place in (name, os.path.join(os.environ.get("CUDA_HOME", ""), "bin", name), "/usr/local/cuda/bin/" + name):
        found = shutil.which(place)
        if found:
            return found
    return None


@dataclasses.dataclass
class Outcome:
    ok: bool
    seconds: float  # of CPU, children included
    stdout: str
    stderr: str
    # Whether another run would give the same result. False if it was killed or ran out of time.
    is_final: bool

    def error(self):
        """Returns the line of a failure to show: the first one that reports a problem."""
        lines = (self.stderr + "\n" + self.stdout).strip().splitlines()
        complaints = [line for line in lines if _COMPLAINT.search(line)]
        return (complaints or lines or ["failed without a message"])[0].strip()[:300]


class Folder(tempfile.TemporaryDirectory):
    def __enter__(self):
        super().__enter__()
        return self

    def path(self, name):
        return os.path.join(self.name, name)

    def read(self, name):
        with open(self.path(name), encoding="utf-8", errors="replace") as file:
            return file.read()

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)


class Interrupted(Exception):
    """The run was stopped while a tool ran."""


class Runner:
    """Runs tools, any number at a time, until it is stopped. Each gets its own session, so an interrupt at the terminal
    reaches only us, and its effect is not mistaken for a result of the tool."""

    def __init__(self, timeout):
        self._timeout = timeout
        self._lock = threading.Lock()
        self._running = set()
        self._stopped = False

    def stop(self):
        with self._lock:
            self._stopped = True
            for process in self._running:
                _kill(process)

    @staticmethod
    def folder():
        """Creates a folder for the files of a tool. The end of the `with` statement removes it."""
        return Folder()

    def run(self, command):
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            with self._lock:
                if self._stopped:
                    raise Interrupted()
                try:
                    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                               start_new_session=True)
                except OSError as error:
                    return Outcome(False, 0, "", str(error), False)
                self._running.add(process)
            timed_out = threading.Event()

            def give_up():
                timed_out.set()
                _kill(process)

            timer = threading.Timer(self._timeout, give_up)
            timer.start()
            try:
                _, status, usage = os.wait4(process.pid, 0)
            finally:
                timer.cancel()
                with self._lock:
                    self._running.discard(process)
            process.returncode = os.waitstatus_to_exitcode(status)
            if self._stopped:
                raise Interrupted()
            out.seek(0)
            err.seek(0)
            stdout = out.read().decode(errors="replace")
            stderr = err.read().decode(errors="replace")
            if timed_out.is_set():
                stderr += f"\n{os.path.basename(command[0])}: gave up after {self._timeout} s"
            was_killed = process.returncode < 0 and -process.returncode not in _CRASHES
            is_final = not timed_out.is_set() and not was_killed and not _KILLED.search(stderr)
            return Outcome(process.returncode == 0, usage.ru_utime + usage.ru_stime, stdout, stderr, is_final)


def _kill(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
