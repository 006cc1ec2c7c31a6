# SPDX-License-Identifier: Apache-2.0

"""From an input to PTX: ptxmir with an option set and a budget, llc from the same MIR, nvcc from the same CUDA.

Each compiler returns {"ptx": text or None, "error": text or None, "seconds": CPU time}, and ptxmir also "stats" and
"report" (docs/performance.md)."""

import json
import os
import re

from registers.cache import file_hash
from registers.inputs import cuda_source_hash

NO_LIMIT = "default"  # the budget of a compilation that is given none

_STATISTIC = re.compile(r"^\s*(\d+)\s+(\S+)\s+- (.*)$", re.MULTILINE)


def version_of(path, runner):
    return runner.run([path, "--version"]).stdout.strip()


def parse_statistics(text):
    """Parses the output of `ptxmir -stats`: {"pass: description": value}."""
    return {f"{match.group(2)}: {match.group(3).strip()}": int(match.group(1)) for match in _STATISTIC.finditer(text)}


def _target_flags(source):
    return ["-mcpu=" + source.sm] + (["-mattr=" + source.attributes] if source.attributes else [])


class Ptxmir:
    name = "ptxmir"

    def __init__(self, path, runner, cache, count_executed):
        self.path = path
        self.hash = file_hash(path)
        self._runner = runner
        self._cache = cache
        self._help = runner.run([path, "--help"]).stdout
        self._count_executed = count_executed and self.has_option("count-executed")

    def has_option(self, name):
        return re.search(rf"^\s*-{re.escape(name)}\b", self._help, re.MULTILINE) is not None

    @staticmethod
    def occupancy_flags(sm, threads, shared_bytes):
        return ["-mcpu=" + sm, f"-occupancy={threads},0,{shared_bytes}"]

    def compile(self, source, budget, options):
        flags = ["-j1", *_target_flags(source), "-start-after=" + source.stage, *options]
        if budget != NO_LIMIT:
            flags.append("-maxreg=" + budget)
        about = ["pressure-report"] if self.has_option("pressure-report") else []
        about += ["count-executed"] if self._count_executed else []
        key = [self.name, self.hash, *flags, "reported:", *about, source.hash()]
        return self._cache.get(key, lambda: self._run(source, flags, about))

    def _run(self, source, flags, about):
        with self._runner.folder() as folder:
            # Compile twice: only the compilation without reports is measured.
            plain = self._runner.run([self.path, *flags, source.path, "-o", folder.path("plain.ptx")])
            result = {"ptx": None, "error": None, "seconds": plain.seconds, "stats": {}, "report": []}
            if not plain.ok:
                return {**result, "error": plain.error()}, plain.is_final
            reports = ["-stats"]
            if "pressure-report" in about:
                reports.append("-pressure-report=" + folder.path("report.json"))
            if "count-executed" in about:
                reports.append("-count-executed")
            reported = self._runner.run([self.path, *flags, *reports, source.path, "-o", folder.path("reported.ptx")])
            if not reported.ok:
                return {**result, "error": reported.error()}, reported.is_final
            result["ptx"] = folder.read("plain.ptx")
            if folder.read("reported.ptx") != result["ptx"]:
                result["error"] = "the PTX is another when reports are asked for"
            result["stats"] = parse_statistics(reported.stderr)
            if "pressure-report" in about:
                try:
                    result["report"] = json.loads(folder.read("report.json"))["functions"]
                except (ValueError, KeyError, TypeError) as error:
                    result["error"] = f"the pressure report cannot be read: {error}"
            return result, True


class Llc:
    def __init__(self, name, path, flags, runner, cache):
        self.name = name  # in tables
        self._path = path
        self._flags = flags
        self._runner = runner
        self._cache = cache
        self.version = version_of(path, runner)
        # People build their own llc, so the same version may be a different program.
        status = os.stat(os.path.realpath(path))
        self._identity = f"{self.version} {status.st_size} {status.st_mtime_ns}"

    def compile(self, source, _budget):  # of which it knows nothing
        flags = [*_target_flags(source), *self._flags]
        key = ["llc", self._identity, *flags, source.stage, source.hash()]
        if source.ir:
            key.append(file_hash(source.ir))
        return self._cache.get(key, lambda: self._run(source, flags))

    def _run(self, source, flags):
        with self._runner.folder() as folder:
            ptx = folder.path("out.ptx")
            outcome = self._runner.run([self._path, *flags, "-start-after=" + source.stage, source.path, "-o", ptx])
            if not outcome.ok and outcome.is_final:
                # llc rejects some of its own MIR. Then start from the IR.
                ir = source.ir
                if not ir and (text := source.embedded_ir()):
                    ir = folder.write("from.ll", text)
                if ir:
                    from_ir = self._runner.run([self._path, *flags, ir, "-o", ptx])
                    outcome = from_ir if from_ir.ok else outcome
            return _result(outcome, folder, "out.ptx")


class Nvcc:
    name = "nvcc"

    def __init__(self, path, flags, runner, cache):
        self._path = path
        self._flags = flags
        self._runner = runner
        self._cache = cache
        self.version = version_of(path, runner)

    def compile(self, source, budget):
        flags = ["-ptx", "-arch=" + source.sm, *source.nvcc_flags, *self._flags]
        if budget != NO_LIMIT:
            flags.append("-maxrregcount=" + budget)
        key = [self.name, self.version, *flags, cuda_source_hash(source.cuda)]
        return self._cache.get(key, lambda: self._run(source, flags))

    def _run(self, source, flags):
        with self._runner.folder() as folder:
            outcome = self._runner.run([self._path, *flags, os.path.abspath(source.cuda), "-o", folder.path("out.ptx")])
            return _result(outcome, folder, "out.ptx")


def _result(outcome, folder, name):
    result = {"ptx": folder.read(name) if outcome.ok else None, "seconds": outcome.seconds,
              "error": None if outcome.ok else outcome.error()}
    return result, outcome.is_final

