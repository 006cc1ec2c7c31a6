# SPDX-License-Identifier: Apache-2.0

"""Executes the commands of README.md, CONTRIBUTING.md and docs/*.md, and looks up the options that they mention.

doc_commands.py says how pages are read and which markers they may have. The log lists what was run, checked and
skipped, with reasons. To see it: bazel test //tests/docs:documentation_test --test_output=all

To write what the commands print now into the transcripts of the pages, where they differ:

    bazel build //tools:ptxmir
    PTXMIR_RECORD=$PWD bazel test //tests/docs:documentation_test --test_env=PTXMIR_RECORD --spawn_strategy=local
"""

import glob
import os
import re
import tempfile
import unittest

import doc_commands
import page_runner
import python_test

_ROOT = os.getcwd()  # Bazel's folder of what a test may read
# The files that the pages call by these names, unless a marker says otherwise.
_FILES = {
    "k.mir": ("path", "examples/saxpy.mir"), "kernel.mir": ("path", "examples/saxpy.mir"),
    "k.cu": ("path", "examples/saxpy.cu"),
}
_LABELS = "tests/docs/target_labels.txt"
_OWNERS = "tests/docs/option_owners.tsv"

# Owners that cannot be asked, or not without building what takes long.
_UNASKED = ("bazel", "cmake", "gcc", "ld", "cicc", "llc-22 with assertions", "clang-22, hidden", "pass options",
            "fuzz_planted_bugs")


def _pages():
    for path in ["README.md", "CONTRIBUTING.md"] + sorted(glob.glob("docs/*.md")):
        with open(os.path.join(_ROOT, path), encoding="utf-8") as file:
            yield path, file.read()


def _owners():
    """Returns, by option, the programs other than ptxmir whose option it is."""
    owners = {}
    with open(os.path.join(_ROOT, _OWNERS), encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                option, program = line.rstrip("\n").split("\t")
                owners.setdefault(option, []).append(program)
    return owners


class DocumentationTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with open(_LABELS, encoding="utf-8") as file:
            cls.labels = set(file.read().split())

    def runner(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        return page_runner.PageRunner(_ROOT, holder.name, self.labels)

    def test_commands_work(self):
        outcomes = []
        for name, text in _pages():
            runner = self.runner()
            page = runner.read(name, text)
            runner.provide({**_FILES, **page.files})
            missing = None
            for command in page.commands:
                outcome = runner.outcome(command)
                if outcome.kind == "failed" and missing:  # for want of what an earlier command would have made
                    outcome = page_runner.Outcome(command, "skipped", missing)
                if outcome.detail.endswith("is not installed"):
                    missing = outcome.detail
                outcomes.append(outcome)
        for outcome in outcomes:
            detail = f" ({outcome.detail.strip()})" if outcome.kind in ("skipped", "failed") else ""
            print(f"{outcome.command.page}:{outcome.command.line}: {outcome.kind}: {outcome.command.text}{detail}")
        print(page_runner.summary(outcomes))
        failed = [outcome for outcome in outcomes if outcome.kind == "failed"]
        missing = [outcome for outcome in outcomes if outcome.kind == "skipped" and "is not installed" in outcome.detail]
        if os.environ.get("PTXMIR_REQUIRE_PEERS") == "1":
            failed += [outcome for outcome in missing if outcome.detail.startswith(("llc-22", "ptxas", "clang-22"))]
        if record := os.environ.get("PTXMIR_RECORD"):
            for outcome in reversed(failed):
                if outcome.printed is not None:
                    page_runner.record_transcript(record, outcome)
        if failed:
            self.fail("\n".join(f"{o.command.page}:{o.command.line}: {o.command.text}: {o.detail}" for o in failed))
        # Neither the finder of commands nor the tools may be missing altogether.
        self.assertGreater(sum(outcome.kind == "run" for outcome in outcomes), 20)

    def test_headings_of_passes_are_passes(self):
        listed = self.runner().shell("ptxmir --print-passes").stdout
        passes = set(re.findall(r"^ +(?:\d+ +)?([a-z][a-z0-9-]+) +(?:on|off|-|implemented|absent) ", listed, re.M))
        with open("docs/passes.md", encoding="utf-8") as file:
            headings = re.findall(r"^### (.*)$", file.read(), re.M)
        self.assertGreater(len(headings), 20)
        self.assertEqual([name for heading in headings for name in heading.split(", ") if name not in passes], [])

    def test_options_exist(self):
        runner = self.runner()
        owners, used, unknown = _owners(), set(), []
        for name, text in _pages():
            for line, option in runner.read(name, text).options:
                if option in owners:
                    used.add(option)
                elif not runner.has_option("ptxmir", option):
                    unknown.append(f"{name}:{line}: ptxmir has no option {option}; if another program has it, {_OWNERS} names it")
        if unknown:
            self.fail("\n".join(unknown))
        self.assertEqual(sorted(owners.keys() - used), [], f"no page mentions these options of {_OWNERS}")

    def test_options_of_others_are_theirs(self):
        runner = self.runner()
        wrong = []
        for option, programs in _owners().items():
            for program in programs:
                if program in _UNASKED or runner.which(program) is None and program in page_runner.PEERS:
                    continue
                if not runner.has_option(program, option):
                    wrong.append(f"{program} has no option {option}")
        self.assertEqual(wrong, [])


if __name__ == "__main__":
    python_test.main()
