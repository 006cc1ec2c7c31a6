# SPDX-License-Identifier: Apache-2.0

"""The MIR files of a run and their properties: GPU, PTX version, the pass after which it was written, its sources."""

import dataclasses
import os
import re

from registers.cache import content_hash

DEFAULT_SM = "sm_80"
_STAGE = "finalize-isel"
_CPU = re.compile(r'"target-cpu"="(sm_\w+)"')
_PTX_VERSION = re.compile(r"\+ptx(\d+)")
_FEATURES = re.compile(r'"target-features"="([^"]*)"')
_LOCAL_INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"', re.MULTILINE)

# Maps flags of clang (from the manifest of the corpus) to those of nvcc.
_NVCC_FLAGS = {
    "-ffast-math": "--use_fast_math",
    "-fcuda-flush-denormals-to-zero": "-ftz=true",
    "-fgpu-rdc": "-rdc=true",
}
# MIR of less optimized code cannot be compared with the optimized code of nvcc.
_UNOPTIMIZED = ("-O0", "-O1")


@dataclasses.dataclass
class Input:
    path: str
    name: str  # for tables
    content: bytes
    sm: str
    attributes: str  # "+ptx88", or empty
    stage: str  # the pass after which it was written
    cuda: str = ""  # the .cu next to it, if nvcc's figures are comparable
    nvcc_flags: tuple = ()
    ir: str = ""  # the .ll next to it

    def hash(self):
        return content_hash(self.content)

    def embedded_ir(self):
        """Returns the IR module at the beginning of the file, or an empty string."""
        text = self.content.decode(errors="replace")
        if not text.startswith("--- |"):
            return ""
        body = text.split("\n", 1)[1].split("\n...", 1)[0]
        return "\n".join(line[2:] if line.startswith("  ") else line for line in body.split("\n")) + "\n"


def find_inputs(places, sm, attributes):
    """Returns all .mir files of the given folders and files, in order and each once."""
    paths = []
    for place in places:
        if os.path.isdir(place):
            paths += [os.path.join(place, name) for name in sorted(os.listdir(place)) if name.endswith(".mir")]
        else:
            paths.append(place)
    unique = list(dict.fromkeys(os.path.normpath(path) for path in paths))
    common = os.path.commonpath([os.path.dirname(os.path.abspath(path)) for path in unique]) if unique else ""
    manifests = {}
    return [_make_input(path, os.path.relpath(os.path.abspath(path), common), sm, attributes, manifests)
            for path in unique]


def _make_input(path, name, sm, attributes, manifests):
    with open(path, "rb") as file:
        content = file.read()
    text = content.decode(errors="replace")
    folder = os.path.dirname(path)
    if folder not in manifests:
        manifests[folder] = _read_manifest(os.path.join(folder, "manifest.tsv"))
    stem = path[:-len(".mir")] if path.endswith(".mir") else path
    row = manifests[folder].get(os.path.basename(stem), {})
    cpu = _CPU.search(text)
    result = Input(
        path=path,
        name=name[:-len(".mir")] if name.endswith(".mir") else name,
        content=content,
        sm=sm or row.get("arch") or (cpu.group(1) if cpu else DEFAULT_SM),
        attributes=attributes or row.get("mattr") or _newest_ptx(text),
        stage=row.get("stop_after") or _STAGE,
        ir=stem + ".ll" if os.path.exists(stem + ".ll") else "",
    )
    clang_flags = row.get("clang", "").split()
    if os.path.exists(stem + ".cu") and not any(flag in _UNOPTIMIZED for flag in clang_flags):
        result.cuda = stem + ".cu"
        result.nvcc_flags = tuple(_NVCC_FLAGS[flag] for flag in clang_flags if flag in _NVCC_FLAGS)
    return result


def _newest_ptx(text):
    """Returns the newest PTX feature in the text. llc ignores the features of functions, and its default PTX is old."""
    versions = {int(version) for features in set(_FEATURES.findall(text)) for version in _PTX_VERSION.findall(features)}
    return f"+ptx{max(versions)}" if versions else ""


def _read_manifest(path):
    """Returns the rows by name of a table whose first line names the columns. `-` is an empty field."""
    try:
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines()
    except OSError:
        return {}
    columns = lines[0].lstrip("# ").split("\t") if lines else []
    rows = {}
    for line in lines[1:]:
        fields = dict(zip(columns, ("" if field == "-" else field for field in line.split("\t"))))
        if line and not line.startswith("#") and "name" in fields:
            rows[fields["name"]] = fields
    return rows


def cuda_source_hash(path):
    """Returns the hash of a CUDA source and of the local files that it includes."""
    contents = {}
    waiting = [path]
    while waiting:
        name = os.path.normpath(waiting.pop())
        if name in contents:
            continue
        try:
            with open(name, "rb") as file:
                contents[name] = file.read()
        except OSError:
            contents[name] = b""
        for included in _LOCAL_INCLUDE.findall(contents[name]):
            waiting.append(os.path.join(os.path.dirname(name), included.decode(errors="replace")))
    return content_hash(b"\0".join(content_hash(contents[name]).encode() for name in sorted(contents)))
