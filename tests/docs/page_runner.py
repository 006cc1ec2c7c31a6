# SPDX-License-Identifier: Apache-2.0

"""Runs, or checks without running, the commands that doc_commands.py finds, in a temporary folder.

The folder looks like the root of the tree after a build: its folders are there, and bazel-bin has the tools, which are
also on PATH. What is not run is checked: Bazel's labels name targets, and the scripts of the tree accept their
arguments (parse_only.py). Every command ends as one Outcome.
"""

import collections
import dataclasses
import os
import re
import shutil
import subprocess
import sys

import doc_commands
import parse_only

# Tools of this tree, by the path of their binary in it.
TOOLS = {
    "ptxmir": "tools/ptxmir",
    "ptxmir-run": "tools/run/ptxmir-run",
    "ptxmir-reduce": "tools/reduce/ptxmir-reduce",
    "ptxmir-fuzz": "tools/fuzz/ptxmir-fuzz",
    "ptxmir-fuzz-text": "tools/fuzz/ptxmir-fuzz-text",
}
# Programs of others that the pages call. The value is the option that lists their options.
PEERS = {
    "llc-22": "--help-hidden", "clang-22": "--help-hidden", "opt-22": "--help-hidden", "ptxas": "--help",
    "nvcc": "--help", "cicc": None, "llvm-remarkutil-22": "--help", "cmake": None, "ctest": None, "docker": None,
    "nvdisasm": "--help", "cuobjdump": "--help",
}
# Names of the same programs in sentences.
ALIASES = {"llc": "llc-22", "clang": "clang-22", "opt": "opt-22"}
# Programs that may begin a command in a sentence. In a code block, everything on PATH may.
SHELL = {"for", "git", "size", "strip", "grep", "sudo", "tar", "dpkg", "apt-get", "export", "python3", "cat", "echo", "man"}
SCRIPT_FOLDERS = ("bench/", "tests/", "tools/", "cmake/", ".ci/", "./")
TIME_LIMIT_SECONDS = 60


@dataclasses.dataclass
class Outcome:
    command: doc_commands.Command
    kind: str  # "run", "checked", "skipped" or "failed"
    detail: str
    printed: str = None  # by a transcript that shows something else


class PageRunner:
    def __init__(self, root, folder, labels):
        """`root` is the tree with the binaries in it, `folder` an empty one, `labels` the targets that Bazel has."""
        self.root, self.folder, self.labels = root, folder, labels
        self.helps = {}
        self.accepted = {}
        binaries = os.path.join(folder, ".bin")
        os.makedirs(binaries)
        for name, path in TOOLS.items():
            os.symlink(os.path.join(root, path), os.path.join(binaries, name))
        os.symlink(root, os.path.join(folder, "bazel-bin"))
        for name in os.listdir(root):
            if name not in ("external", "bazel-bin", "third_party"):
                os.symlink(os.path.join(root, name), os.path.join(folder, name))
        home = os.path.join(folder, ".home")
        os.makedirs(home)
        cuda = os.path.join(os.environ.get("CUDA_HOME") or "/usr/local/cuda", "bin")
        self.environment = dict(os.environ, PATH=os.pathsep.join([binaries, os.environ["PATH"], cuda]), HOME=home,
                                XDG_CACHE_HOME=home, PYTHONDONTWRITEBYTECODE="1")

    def which(self, program):
        return shutil.which(ALIASES.get(program, program), path=self.environment["PATH"])

    def is_script(self, word):
        return (word.startswith(SCRIPT_FOLDERS) and "*" not in word and
                not word.endswith((".md", ".h", ".cc", ".mir", ".sdag", ".bzl", ".inc", ".tsv", ".txt", "/")))

    def is_program_in_text(self, word):
        return (word in TOOLS or word in PEERS or word in ALIASES or word in SHELL or word == "bazel" or
                word.startswith("bazel-bin/") or self.is_script(word))

    def is_program(self, word):
        return self.is_program_in_text(word) or re.fullmatch(r"[a-z][\w-]*", word) and self.which(word) is not None

    def read(self, name, text):
        """Returns the commands, options and files of a page."""
        return doc_commands.read_page(name, text, self.is_program, self.is_program_in_text)

    def provide(self, files):
        """Puts the files that pages mention into the folder."""
        for name, (kind, value) in files.items():
            place = os.path.join(self.folder, name)
            if kind == "path":
                shutil.copyfile(os.path.join(self.root, value), place)
            else:
                with open(place, "w", encoding="utf-8") as file:
                    file.write(value)

    def shell(self, text):
        return subprocess.run(["bash", "-c", "set -o pipefail; " + text], cwd=self.folder, env=self.environment,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              timeout=TIME_LIMIT_SECONDS, check=False, errors="replace")

    def outcome(self, command):
        program = doc_commands.program_of(command.text)
        try:
            if program == "bazel":
                return self._bazel(command)
            if self.is_script(program):
                return self._script(command, program)
            if command.skip_reason:
                return Outcome(command, "skipped", command.skip_reason)
            if command.is_inline and not self._is_complete(command):
                return self._options(command, program)
            missing = [word for word in re.findall(r"[\w./-]+", command.text)
                       if (word in PEERS or word in ALIASES) and self.which(word) is None]
            if missing:
                return Outcome(command, "skipped", f"{missing[0]} is not installed")
            return self._run(command)
        except subprocess.TimeoutExpired:
            return Outcome(command, "failed", f"ran for more than {TIME_LIMIT_SECONDS} seconds")

    def _run(self, command):
        done = self.shell(command.shell_setup + command.text)
        shows_error = any("error:" in line for line in command.expected or ())
        if done.returncode != 0 and not shows_error:
            return Outcome(command, "failed", f"exit status {done.returncode}\n{done.stdout[-2000:]}")
        if command.expected is not None:
            if difference := transcript_difference(command.expected, done.stdout):
                return Outcome(command, "failed", difference, done.stdout)
        return Outcome(command, "run", done.stdout)

    def _bazel(self, command):
        labels = re.findall(r"(?<!\S)//[\w/.+-]*(?::[\w.+-]+)?", command.text)
        if not labels:
            return Outcome(command, "failed", "names no target")
        for label in labels:
            package, _, name = label[2:].partition(":")
            if package == "..." or package.endswith("/..."):
                known = any(at.startswith("//" + package[:-3]) for at in self.labels)
            elif name in ("all", ""):
                default = f"//{package}:{os.path.basename(package)}"
                known = any(at.startswith(f"//{package}:") for at in self.labels) if name else default in self.labels
            else:
                known = label in self.labels
            if not known:
                return Outcome(command, "failed", f"tests/docs/targets.bzl does not list {label}")
        return Outcome(command, "checked", "targets exist")

    def _script(self, command, program):
        path = os.path.join(self.folder, program)
        if not os.access(path, os.X_OK):
            return Outcome(command, "failed", f"{program} is not a script of the tree, or not among the data of this test")
        with open(path, encoding="utf-8") as file:
            first = file.readline()
        if "python" not in first:
            done = self.shell(f"bash -n {program}")
            return Outcome(command, "failed" if done.returncode else "checked", done.stdout or "is a script without errors of syntax")
        if command.is_inline and "..." in command.text:
            return self._options(command, program)
        checker = f"{sys.executable} {os.path.abspath(parse_only.__file__)} {program}"
        done = self.shell(command.shell_setup + command.text.replace(program, checker, 1).split(" | ")[0])
        if done.returncode != parse_only.ACCEPTED:
            return Outcome(command, "failed", f"its arguments were not accepted (exit status {done.returncode})\n{done.stdout[-2000:]}")
        return Outcome(command, "checked", "arguments accepted")

    def _is_complete(self, command):
        """Whether a command in a sentence can be run as it is: its inputs exist, and nothing is left out."""
        if "..." in command.text or re.search(r"[<>\[\]{]", command.text) or \
                doc_commands.program_of(command.text) not in TOOLS:
            return False
        words = re.sub(r"(['\"]).*?\1", "Q", command.text).split()[1:]
        inputs = [word for i, word in enumerate(words)
                  if not word.startswith("-") and (i == 0 or words[i - 1] not in ("-o", "-opt", "-Xopt"))]
        is_question = any(word.startswith(("--print", "--version", "--help", "-help")) for word in words)
        return all(os.path.exists(os.path.join(self.folder, word)) for word in inputs) and (bool(inputs) or is_question)

    def _options(self, command, program):
        """Checks only that the options of an incomplete command exist."""
        program = ALIASES.get(program, program)
        if program in PEERS and (PEERS[program] is None or self.which(program) is None):
            return Outcome(command, "skipped", f"an example in a sentence, and {program} cannot be asked")
        if program in SHELL:
            return Outcome(command, "skipped", "an example in a sentence")
        unknown = [name for name in doc_commands.options_of(re.sub(r"(['\"]).*?\1", "Q", command.text))
                   if not self.has_option(program, name)]
        if unknown:
            return Outcome(command, "failed", f"{program} has no option {', '.join(unknown)}")
        return Outcome(command, "checked", "options exist")

    def _pass_options(self):
        """Returns what lists the options that follow -opt."""
        if "pass options" not in self.helps:
            self.helps["pass options"] = self.shell("ptxmir --print-options").stdout
        return self.helps["pass options"]

    def has_option(self, program, option):
        if os.path.basename(program) == "ptxmir":
            if option not in self.accepted:
                done = self.shell(f"ptxmir {option} -o /dev/null")
                self.accepted[option] = ("unknown command line argument" not in done.stdout or
                                         f" {option} " in self._pass_options())
            return self.accepted[option]
        if program not in self.helps:
            self.helps[program] = self.shell(f"{program} {PEERS.get(program, '--help')}").stdout
        name = option.lstrip("-")
        # A letter may be followed by its value: -O2, -j8.
        return re.search(rf"(?<![\w-])--?(no-)?{re.escape(name)}(?![\w-])", self.helps[program]) is not None or \
            re.fullmatch(r"-[A-Za-z]\d+", option) is not None


def transcript_difference(expected, printed):
    """Returns how a program's output differs from what a page shows, or None."""
    lines = [line.rstrip() for line in printed.rstrip("\n").split("\n")] if printed.strip() else []
    at, may_skip = 0, False
    while expected and not expected[-1].strip():
        expected = expected[:-1]
    for line in expected:
        line = line.rstrip()
        if line.strip() == "...":
            may_skip = True
            continue
        start = line[:-3].rstrip() if line.endswith("...") else None
        matches = lambda text: text.startswith(start) if start is not None else text == line
        found = next((i for i in range(at, len(lines) if may_skip else min(at + 1, len(lines))) if matches(lines[i])), None)
        if found is None:
            return f"the page shows\n  {line}\nbut what is printed is\n  " + "\n  ".join(lines[at:at + 40])
        at, may_skip = found + 1, False
    if at < len(lines) and not may_skip:
        return "the page leaves out what is printed\n  " + "\n  ".join(lines[at:at + 40])
    return None


def record_transcript(root, outcome):
    """Writes into the page what the command printed: as many lines as the page shows, if it ends with "..."."""
    command = outcome.command
    path = os.path.join(root, command.page)
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    shown = list(command.expected)
    while shown and not shown[-1].strip():
        shown.pop()
    printed = outcome.printed.rstrip("\n").split("\n")
    if shown and shown[-1].strip() == "...":
        printed = printed[:len(shown) - 1] + ["..."]
    printed = [line if len(line) <= 110 else line[:106].rstrip() + " ..." for line in printed]
    lines[command.line:command.line + len(shown)] = ["    " + line if line else "" for line in printed]
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines))


def summary(outcomes):
    """Returns what became of the commands, in one line for each page and one for all."""
    by_page = collections.defaultdict(collections.Counter)
    for outcome in outcomes:
        by_page[outcome.command.page][outcome.kind] += 1
        by_page["all pages"][outcome.kind] += 1
    kinds = ("run", "checked", "skipped", "failed")
    return "\n".join(f"{page}: " + ", ".join(f"{counts[kind]} {kind}" for kind in kinds) for page, counts in by_page.items())
