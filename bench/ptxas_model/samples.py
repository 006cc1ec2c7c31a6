# SPDX-License-Identifier: Apache-2.0

"""Samples for the model of ptxas: kernels compiled under many option sets, with their features and with the registers
that ptxas reports. Answers of ptxas are kept by content, as by bench/registers.py."""

import concurrent.futures
import dataclasses
import json

from registers.compilers import NO_LIMIT
from registers.ptxas import ptx_name

DEFAULT_SET = "default"


@dataclasses.dataclass
class Sample:
    place: str  # the folder
    file: str
    kernel: str
    option_sets: list  # the names of all that make this version
    features: dict
    registers: int


def option_sets(ptxmir, runner):
    """Returns the names and flags of the option sets that -autotune tries."""
    outcome = runner.run([ptxmir, "-print-option-sets"])
    if not outcome.ok:
        raise RuntimeError(outcome.error())
    sets = [line.partition(":") for line in outcome.stdout.splitlines() if line]
    return [(name, flags.split()) for name, _, flags in sets]


class Collector:
    def __init__(self, ptxmir, ptxas, runner):
        self._ptxmir = ptxmir
        self._ptxas = ptxas
        self._runner = runner

    def collect(self, place, inputs, sets, jobs):
        """Returns the versions of all kernels, in order. Versions with the same features are one sample."""
        tasks = [(place, source, option_set) for source in inputs for option_set in sets]
        found = {}
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            for samples in pool.map(lambda task: self._compile(*task), tasks):
                for sample in samples:
                    key = (sample.file, sample.kernel, sample.registers, *sample.features.values())
                    if key in found:
                        found[key].option_sets += sample.option_sets
                    else:
                        found[key] = sample
        return list(found.values())

    def _compile(self, place, source, option_set):
        name, set_flags = option_set
        flags = ["-j1", "-mcpu=" + source.sm] + (["-mattr=" + source.attributes] if source.attributes else [])
        with self._runner.folder() as folder:
            report = folder.path("report.json")
            outcome = self._runner.run([self._ptxmir, *flags, "-start-after=" + source.stage, "-O2", *set_flags,
                                        "-pressure-report=" + report, source.path, "-o", folder.path("out.ptx")])
            if not outcome.ok:
                return []
            ptx = folder.read("out.ptx")
            functions = json.loads(folder.read("report.json"))["functions"]
        figures = self._ptxas.judge(ptx, source.sm, NO_LIMIT)["functions"]
        samples = []
        for function in functions:
            registers = figures.get(ptx_name(function["name"]), {}).get("registers")
            if registers is not None and "ptxas" in function:
                samples.append(Sample(place, source.name, function["name"], [name],
                                      function["ptxas"]["features"], registers))
        return samples
