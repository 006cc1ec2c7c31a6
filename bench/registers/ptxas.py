# SPDX-License-Identifier: Apache-2.0

"""The figures that ptxas reports for PTX: registers, spills, stack and shared memory of each function; and the
resulting occupancy."""

import re
import struct

from registers.cache import content_hash
from registers.compilers import NO_LIMIT, version_of

# The assumed CTA size of kernels that do not declare one, as in ptxmir.
ASSUMED_THREADS = 256

_OVERRIDE = "--override-directive-values"
_ENTRY = re.compile(r"Compiling entry function '([^']+)'")
_PROPERTIES = re.compile(r"Function properties for (\S+)")
_MEMORY = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
_USED = re.compile(r"Used (\d+) registers")
_USED_PARTS = {
    "barriers": re.compile(r"used (\d+) barriers"),
    "cumulative_stack": re.compile(r"(\d+) bytes cumulative stack size"),
    "shared": re.compile(r"(\d+) bytes smem"),
}
_NVCC_ANONYMOUS = re.compile(r"(?<!\d)(\d+)(?=_GLOBAL__N__)")
_PTX_ENTRY = re.compile(r"\.entry\s+([\w$%.]+)")
_PTX_THREADS = re.compile(r"\.(?:reqntid|maxntid)\s+(\d+)(?:\s*,\s*(\d+))?(?:\s*,\s*(\d+))?")


def plain_name(name):
    """Returns a mangled name in which nvcc's anonymous namespace, which contains hashes, is replaced by clang's."""
    while match := _NVCC_ANONYMOUS.search(name):
        end = match.end(1) + int(match.group(1))
        if end > len(name):
            return name
        name = name[:match.start()] + "12_GLOBAL__N_1" + name[end:]
    return name


def ptx_name(name):
    """Returns the name in PTX of a function of MIR."""
    return re.sub(r"[^A-Za-z0-9_$]", "_$_", name)


def parse_verbose(text):
    """Parses the output of `ptxas -v` into figures by function. Only kernels have registers of their own."""
    functions = {}
    kernel = function = None
    for line in text.splitlines():
        if match := _ENTRY.search(line):
            kernel = match.group(1)
            functions.setdefault(kernel, {"is_kernel": True})
        elif match := _PROPERTIES.search(line):
            function = functions.setdefault(match.group(1), {"is_kernel": False})
        elif (match := _MEMORY.search(line)) and function is not None:
            function["stack"], function["spill_stores"], function["spill_loads"] = map(int, match.groups())
        elif (match := _USED.search(line)) and kernel is not None:
            functions[kernel]["registers"] = int(match.group(1))
            for name, pattern in _USED_PARTS.items():
                part = pattern.search(line)
                functions[kernel][name] = int(part.group(1)) if part else 0
    return functions


def threads_of_kernels(ptx):
    """Returns the CTA size of each kernel whose directives declare it."""
    threads = {}
    for match in _PTX_ENTRY.finditer(ptx):
        body = ptx.find("{", match.end())
        bound = _PTX_THREADS.search(ptx, match.end(), body if body >= 0 else len(ptx))
        if bound:
            x, y, z = (int(size) if size else 1 for size in bound.groups())
            threads[match.group(1)] = x * y * z
    return threads


def code_sizes(path):
    """Returns the bytes of machine code of each function in a cubin: the sizes of its sections .text.NAME."""
    try:
        with open(path, "rb") as file:
            cubin = file.read()
    except OSError:
        return {}
    if not cubin.startswith(b"\x7fELF"):
        return {}
    section_offset, = struct.unpack_from("<Q", cubin, 0x28)
    entry_size, count, names_index = struct.unpack_from("<HHH", cubin, 0x3a)
    sections = [struct.unpack_from("<IIQQQQ", cubin, section_offset + i * entry_size) for i in range(count)]
    names = sections[names_index][4]
    sizes = {}
    for name, _, _, _, _, size in sections:
        text = cubin[names + name:cubin.index(b"\0", names + name)].decode(errors="replace")
        if text.startswith(".text."):
            sizes[text[len(".text."):]] = size
    return sizes


class Ptxas:
    def __init__(self, path, flags, keeps_directives, runner, cache):
        self._path = path
        self._flags = flags
        self._runner = runner
        self._cache = cache
        self.version = version_of(path, runner)
        # Without it, ptxas ignores the limit for a kernel with .maxntid, .minnctapersm or .maxnreg.
        self._limit_flags = []
        if not keeps_directives and _OVERRIDE in runner.run([path, "--help"]).stdout:
            self._limit_flags.append(_OVERRIDE)

    def judge(self, ptx, sm, budget):
        """Returns {"functions": figures by function, "error": text or None}."""
        flags = ["-v", "-arch=" + sm, *self._flags]
        if budget != NO_LIMIT:
            flags += ["-maxrregcount=" + budget, *self._limit_flags]

        return self._cache.get(["ptxas with code sizes", self.version, *flags, content_hash(ptx)], lambda: self._run(ptx, flags))

    def _run(self, ptx, flags):
        with self._runner.folder() as folder:
            path = folder.write("kernel.ptx", ptx)
            command = [self._path, *flags, path, "-o", folder.path("kernel.cubin")]
            outcome = self._runner.run(command)
            if not outcome.ok and "Unresolved extern" in outcome.stderr:
                # The code needs other code to be linked.
                outcome = self._runner.run([*command, "-c"])
            sizes = code_sizes(folder.path("kernel.cubin")) if outcome.ok else {}
        text = outcome.stderr + outcome.stdout
        functions = parse_verbose(text) if outcome.ok else {}
        for name, threads in threads_of_kernels(ptx).items():
            if name in functions:
                functions[name]["threads"] = threads
        for name, size in sizes.items():
            if name in functions:
                functions[name]["code_bytes"] = size
        return {"functions": functions, "error": None if outcome.ok else outcome.error()}, outcome.is_final


_STEP = re.compile(r"^\s*<=\s*(\d+)\s+(\d+)\s+(\d+)\s+([\d.]+)%\s+(.*)$", re.MULTILINE)
_MAX_WARPS = re.compile(r"(\d+) warps, \d+ CTAs")


def parse_occupancy(text):
    """Parses the output of `ptxmir -occupancy`: the most warps of an SM, and (registers, CTAs, warps) of each step,
    from the fewest registers on."""
    most = _MAX_WARPS.search(text)
    steps = [[int(field) for field in step.groups()[:3]] for step in _STEP.finditer(text)]
    return {"max_warps": int(most.group(1)) if most else 0, "steps": steps}


class Occupancy:
    """The number of warps of a kernel that fit on an SM, by ptxmir's table of GPUs."""

    def __init__(self, ptxmir, runner, cache):
        self._ptxmir = ptxmir
        self._runner = runner
        self._cache = cache

    def add_to(self, figures, sm):
        """Sets warps and max_warps of a kernel's figures. Leaves them out if ptxmir does not know them."""
        if "registers" not in figures or not self._ptxmir.has_option("occupancy"):
            return
        threads = figures.get("threads", ASSUMED_THREADS)
        flags = self._ptxmir.occupancy_flags(sm, threads, figures["shared"])

        def make():
            outcome = self._runner.run([self._ptxmir.path, *flags])
            return parse_occupancy(outcome.stdout if outcome.ok else ""), outcome.is_final

        table = self._cache.get(["occupancy", self._ptxmir.hash, *flags], make)
        if not table["steps"]:
            return
        figures["max_warps"] = table["max_warps"]
        figures["warps"] = next((warps for most, _, warps in table["steps"] if figures["registers"] <= most), 0)
