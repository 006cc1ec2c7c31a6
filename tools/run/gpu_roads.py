# SPDX-License-Identifier: Apache-2.0
"""Compiles kernels to PTX on several roads, for compare_with_gpu.py.

A road is written NAME=FLAGS, or NAME@REGISTERS=FLAGS for a limit of registers: ptxmir with these flags. Two names need no
flags: llc is `llc-22 -O2` and nvcc is `nvcc -O3` from the CUDA source.
"""

import dataclasses
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess

_CUDA = os.environ.get("CUDA_HOME", "/usr/local/cuda")
_SM = "sm_80"
# Inline assembly of CUDA's headers needs more than the version that the GPU implies.
_PTX_VERSION = "-mattr=+ptx88"
_CUDA_FLAGS = ["-I" + _CUDA + "/include/cccl", "-std=c++17", "-O3"]


@dataclasses.dataclass
class Road:
    name: str
    flags: list
    registers: int = 0  # the limit for ptxas; 0: none

    @staticmethod
    def parse(text):
        """Raises ValueError if `text` does not spell a road."""
        name, _, flags = text.partition("=")
        match = re.fullmatch(r"([\w+-]+)(?:@(\d+))?", name)
        if not match:
            raise ValueError(f"'{text}' is not NAME=FLAGS or NAME@REGISTERS=FLAGS")
        return Road(name, shlex.split(flags), int(match.group(2) or 0))

    def tool(self):
        return self.name.split("@")[0] if self.name.split("@")[0] in ("llc", "nvcc") else "ptxmir"


def run(*command, timeout=600):
    """Returns the exit status and the first line of stderr."""
    try:
        done = subprocess.run([str(word) for word in command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                              errors="replace", timeout=timeout, check=False)
    except subprocess.TimeoutExpired:
        return 124, f"not done in {timeout} seconds"
    lines = done.stderr.strip().splitlines()
    return done.returncode, lines[0] if lines else ""


class Compilation:
    """One source file with its code on each road, in a folder: kernel.mir, and ROAD.ptx or ROAD.failed, which holds a
    message, for each road."""

    def __init__(self, source, folder):
        self.source = source  # the file's name
        self.folder = pathlib.Path(folder)
        self.mir = self.folder / "kernel.mir"

    def ptx(self, road):
        return self.folder / f"{road.name}.ptx"

    def message(self, road):
        """Returns why a road has no PTX, or an empty string if it has."""
        failed = self.folder / f"{road.name}.failed"
        return failed.read_text() if failed.exists() else ""

    def create(self, path, roads, ptxmir):
        """Compiles a CUDA source or a MIR file. Returns a message if nothing can be compared."""
        self.folder.mkdir(parents=True, exist_ok=True)
        path = pathlib.Path(path)
        code = self.folder / "kernel.ll" if path.suffix == ".cu" else path
        if path.suffix == ".cu":
            command = ["clang-22", "-x", "cuda", "--cuda-path=" + _CUDA, "--cuda-gpu-arch=" + _SM, "--cuda-device-only",
                       *_CUDA_FLAGS, "-Wno-unknown-cuda-version", "-S", "-emit-llvm", path, "-o", code]
            status, message = run(*command)
            if status == 0:
                status, message = run(ptxmir, "-O2", f"-mcpu={_SM}", _PTX_VERSION, "-stop-after=finalize-isel", code, "-o",
                                      self.mir)
            if status != 0:
                return message
        else:
            shutil.copy(path, self.mir)
        for road in roads:
            status, message = run(*self._command(road, path, code, ptxmir))
            if status != 0:
                (self.folder / f"{road.name}.failed").write_text(message or f"exit status {status}")
        return ""

    def _command(self, road, path, code, ptxmir):
        ptx = self.ptx(road)
        gpu = [f"-mcpu={_SM}", _PTX_VERSION] if path.suffix == ".cu" else []
        if road.tool() == "nvcc":
            return ["nvcc", "-arch=" + _SM, *_CUDA_FLAGS, "--expt-relaxed-constexpr", "-ptx", path.with_suffix(".cu"), "-o", ptx]
        if road.tool() == "llc":
            return ["llc-22", "-O2", *gpu, *([] if gpu else ["-start-after=finalize-isel"]), *road.flags, code, "-o", ptx]
        return [ptxmir, *gpu, *road.flags, code, "-o", ptx]


def save_index(folder, compilations, roads):
    index = {"sources": [[each.source, each.folder.name] for each in compilations],
             "roads": [dataclasses.asdict(road) for road in roads]}
    (pathlib.Path(folder) / "index.json").write_text(json.dumps(index))


def load_index(folder):
    """Returns the compilations and roads that save_index wrote."""
    folder = pathlib.Path(folder)
    index = json.loads((folder / "index.json").read_text())
    return ([Compilation(source, folder / name) for source, name in index["sources"]],
            [Road(**road) for road in index["roads"]])
