# SPDX-License-Identifier: Apache-2.0

"""Tools that are none, for tests of bench/registers.py: ptxmir, ptxas, llc and nvcc of a language that has kernels with
a number of registers, and logs of what was run.

A MIR file has lines `; kernel NAME REGISTERS`. ptxmir makes PTX that says so; `-extra=NAME:N` adds registers to a
kernel, `-own-spills` reports spills of its own; llc needs two registers more, nvcc one fewer. ptxas spills what is
above its limit, four bytes each by a store and a load."""

import json
import os
import re
import stat
import subprocess
import sys
import tempfile
import unittest

from registers import command

_LAUNCHER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(command.__file__))), "registers.py")

_SCRIPT = r'''#!%(python)s -IS
import json, os, re, sys, time, zlib
NAME, LOG = %(name)r, %(log)r
arguments = sys.argv[1:]
if arguments == ["--version"]:
    print(NAME + " version 1")
    sys.exit(0)
if arguments == ["--help"]:
    print("  -occupancy=<threads>\n  -pressure-report=<file>\n  -count-executed\n--override-directive-values")
    sys.exit(0)
options = dict(a.lstrip("-").split("=", 1) for a in arguments if a.startswith("-") and "=" in a)
place = arguments[-1] if "-o" not in arguments else arguments[arguments.index("-o") - 1]
target = arguments[arguments.index("-o") + 1] if "-o" in arguments else None

def log(text=""):
    words = [re.sub(r"/\S*/(?=\S)", "", word) for word in arguments if word != target]
    with open(LOG, "a") as file:
        file.write(" ".join([NAME, *words, "input", str(zlib.crc32(text.encode()))]) + "\n")

if "occupancy" in options:
    print("sm_80: 65536 registers in units of 8 a thread, 64 warps, 32 CTAs, 0 bytes of shared memory")
    print("  registers  CTAs  warps  occupancy  limited by")
    print("      <= 32    16     64       100%%  warps\n      <= 64     8     32        50%%  registers\n"
          "     <= 255     2      8      12.5%%  registers")
    log()
    sys.exit(0)
text = open(place).read()
if "CRASH " + NAME in text:
    sys.exit(NAME + ": error: cannot take this")
if "SLOW" in text:
    time.sleep(0.3)
if NAME == "ptxas":
    for kernel, registers in re.findall(r"entry (\w+)\(.*?// (\d+)", text, re.S):
        limit = int(options.get("maxrregcount", 255))
        used, spilled = min(int(registers), limit), 4 * max(int(registers) - limit, 0)
        print("ptxas info    : Compiling entry function '%%s' for 'sm_80'\n"
              "ptxas info    : Function properties for %%s\n"
              "    %%d bytes stack frame, %%d bytes spill stores, %%d bytes spill loads\n"
              "ptxas info    : Used %%d registers, used 1 barriers, 16 bytes smem, 360 bytes cmem[0]"
              %% (kernel, kernel, spilled, spilled, spilled, used), file=sys.stderr)
else:
    extra = dict([options["extra"].split(":")]) if "extra" in options else {}
    kernels = [(name, int(n) + {"ptxmir": 0, "llc": 2, "nvcc": -1}[NAME] + int(extra.get(name, 0)))
               for name, n in re.findall(r"kernel (\w+) (\d+)", text)]
    kernels = [(name, n - 4 * ("-fewer" in arguments)) for name, n in kernels]
    if "start-after" not in options and NAME == "llc":
        kernels = [(name, n + 10) for name, n in kernels]
    open(target, "w").write("".join(".visible .entry %%s(\n)\n.maxntid 64, 2\n{ // %%d\n}\n" %% k for k in kernels))
    if "-stats" in arguments:
        print("        3 nvptx-remat-block - instructions cloned", file=sys.stderr)
    if "pressure-report" in options:
        own = 1 if "-own-spills" in arguments else 0
        json.dump({"version": 1, "functions": [
            {"name": name, "is_kernel": True, "sm": "sm_80",
             "budget": {"registers": 8, "is_hard": False, "text": "8 registers"},
             "steps": [{"pass": "input", "max_live": n + 2, "max_predicates": 0, "instructions": 3},
                       {"pass": "remat", "max_live": n, "max_predicates": 0, "instructions": 3}],
             "curves": [{"pass": name_of, "points": [0, n + 2 - i, 1], "blocks": [{"number": 0, "first": 0}],
                         "peak": {"instruction": 1, "block": 0, "text": "add", "live": []}}
                        for i, name_of in enumerate(["input", "remat"])],
             "spill_stores": own, "spill_loads": 2 * own,
             "executed": {"input": 100, "final": 103, "launches": 1, "undecided": 0}} for name, n in kernels]},
            open(options["pressure-report"], "w"))
log(text)
'''


def mir(*kernels, note=""):
    lines = "".join(f"; kernel {name} {registers}\n" for name, registers in kernels)
    attributes = '"target-cpu"="sm_80" "target-features"="+ptx88,+sm_80"'
    return f"--- |\n  attributes #0 = {{ {attributes} }}\n...\n{lines}{note}\n"


class FakeToolsTest(unittest.TestCase):
    """Tests with a folder of their own that holds the tools, their log, a cache and inputs."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = holder.name
        self.log = self.path("log")
        for name in ("ptxmir", "ptxas", "llc", "nvcc"):
            script = _SCRIPT % {"python": sys.executable, "name": name, "log": self.log}
            self.write(name, script)
            os.chmod(self.path(name), stat.S_IRWXU)
        os.mkdir(self.path("inputs"))

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def calls(self):
        """What was run to its end, a line each, and forgets it."""
        if not os.path.exists(self.log):
            return []
        lines = self.read("log").splitlines()
        os.unlink(self.log)
        return lines

    def command(self, *arguments):
        tools = [f"--{name}={self.path(name)}" for name in ("ptxmir", "ptxas", "llc", "nvcc")]
        return [sys.executable, _LAUNCHER, *tools, "--cache=" + self.path("cache"), "-j2", *arguments,
                self.path("inputs")]

    def harness(self, *arguments):
        """(exit status, stdout, stderr)"""
        done = subprocess.run(self.command(*arguments), capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr

    def rows(self, *arguments):
        """Rows by (file, kernel, options, budget) of a run that must succeed."""
        status, _, error = self.harness("--json=" + self.path("out.json"), *arguments)
        self.assertEqual(status, 0, error)
        return {(row["file"], row["kernel"], row["options"], row["budget"]): row
                for row in json.loads(self.read("out.json"))["rows"]}
