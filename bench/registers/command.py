# SPDX-License-Identifier: Apache-2.0

"""The command line of bench/registers.py."""

import argparse
import json
import os
import shlex
import shutil
import signal
import sys

from registers import baseline, page, summary, tables
from registers.cache import Cache, default_folder
from registers.compilers import NO_LIMIT, Llc, Nvcc, Ptxmir
from registers.harness import BEST, Harness, Tools
from registers.inputs import find_inputs
from registers.processes import Interrupted, Runner, find_tool
from registers.progress import Progress
from registers.ptxas import Occupancy, Ptxas

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
_INTERRUPTED_STATUS = 130
_USAGE_STATUS = 2


def _budgets(text):
    budgets = []
    for part in text.split(","):
        if part != NO_LIMIT and not (part.isdecimal() and 1 <= int(part) <= 255):
            raise argparse.ArgumentTypeError(f"'{part}' is neither '{NO_LIMIT}' nor a number from 1 to 255")
        budget = part if part == NO_LIMIT else str(int(part))
        if budget not in budgets:
            budgets.append(budget)
    return budgets


def _option_set(text):
    name, equals, flags = text.partition("=")
    if not equals or not name or name.startswith("-") or name == BEST:
        raise argparse.ArgumentTypeError(f"'{text}' is not of the form NAME=FLAGS with a name other than '{BEST}'")
    return name, shlex.split(flags)


def _parser(description):
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("places", nargs="*", metavar="DIR or FILE.mir", default=[os.path.join(ROOT, "tests/corpus")])
    what = parser.add_argument_group("what is run")
    what.add_argument("--budgets", type=_budgets, default=[NO_LIMIT], metavar="R,R",
                      help=f"-maxreg for ptxmir, -maxrregcount for nvcc and ptxas; '{NO_LIMIT}' (default): none")
    what.add_argument("--options", type=_option_set, action="append", metavar="NAME=FLAGS",
                      help="an option set of ptxmir; repeat for more (default: O2=-O2); with more "
                           f"than one there is also '{BEST}', the best of them for each kernel")
    what.add_argument("--keep-directives", action="store_true",
                      help="a budget is no limit to ptxas where a kernel's directives bound its threads or registers")
    what.add_argument("--sm", help="GPU (default: what each file was made for)")
    what.add_argument("--mattr", help="PTX version, '+ptx88' (default: what each file was made for)")
    what.add_argument("--count-executed", action="store_true", help="also execute kernels in the interpreter")
    what.add_argument("-j", "--jobs", type=int, default=os.cpu_count(), metavar="N")
    what.add_argument("--timeout", type=int, default=300, metavar="SECONDS", help="of one process (default: 300)")
    what.add_argument("--cache", default=default_folder(), metavar="DIR",
                      help="where results are kept; empty: nowhere (default: %(default)s)")
    tools = parser.add_argument_group("tools ('none': leave out)")
    tools.add_argument("--ptxmir", default=os.path.join(ROOT, "bazel-bin/tools/ptxmir"))
    tools.add_argument("--ptxas", default="ptxas")
    tools.add_argument("--llc", default="llc-22")
    tools.add_argument("--nvcc", default="nvcc")
    tools.add_argument("--llc-options", type=shlex.split, default=["-O2"], metavar="FLAGS")
    tools.add_argument("--llc-variant", type=_option_set, action="append", default=[], metavar="NAME=FLAGS",
                       help="also llc with these flags, and the best of all of them for each kernel (llc-best)")
    tools.add_argument("--nvcc-options", type=shlex.split, default=["-O3", "-std=c++20", "--expt-relaxed-constexpr"],
                       metavar="FLAGS")
    tools.add_argument("--ptxas-options", type=shlex.split, default=[], metavar="FLAGS")
    output = parser.add_argument_group("what is written")
    output.add_argument("--show", choices=("all", "different", "none"), default="different",
                        help="kernels in the text: all, those unlike llc's or under pressure (default), or none")
    output.add_argument("--csv", metavar="FILE")
    output.add_argument("--json", metavar="FILE")
    output.add_argument("--html", metavar="FILE", help="a page with plots")
    before = parser.add_argument_group("figures of before")
    before.add_argument("--write-baseline", metavar="FILE")
    before.add_argument("--baseline", metavar="FILE", help="list what is worse than there")
    before.add_argument("--fail-on-regression", action="store_true", help="exit with status 1 if anything is")
    for name, _, words in baseline.FIGURES:
        before.add_argument(f"--tolerance-{name.replace('_', '-')}", type=int, default=0, metavar="N",
                            help=f"{words} that do not count (default: 0)")
    return parser


class _Unusable(Exception):
    """The command line requests something impossible."""


def _optional(name, make, what):
    """Returns a peer, or None after printing a line about it."""
    if name == "none":
        return None
    path = shutil.which(name) or find_tool(name)
    if path is None:
        print(f"no {name} here: nothing of {what}", file=sys.stderr)
        return None
    return make(path)


def _make_tools(arguments, runner, cache):
    if not os.access(arguments.ptxmir, os.X_OK):
        raise _Unusable(f"there is no {arguments.ptxmir}: bazel build -c opt //tools:ptxmir")
    ptxas = find_tool(arguments.ptxas)
    if ptxas is None:
        raise _Unusable("there is no ptxas on PATH, in $CUDA_HOME/bin or in /usr/local/cuda/bin")
    ptxmir = Ptxmir(arguments.ptxmir, runner, cache, arguments.count_executed)
    if arguments.count_executed and not ptxmir.has_option("count-executed"):
        raise _Unusable("this ptxmir has no -count-executed")
    make_llc = lambda name, flags: _optional(arguments.llc, lambda path: Llc(name, path, flags, runner, cache), "llc")
    llc = make_llc("llc", arguments.llc_options)
    variants = [make_llc("llc-" + name, flags) for name, flags in arguments.llc_variant] if llc else []
    nvcc = _optional(arguments.nvcc, lambda path: Nvcc(path, arguments.nvcc_options, runner, cache), "nvcc")
    return Tools(ptxmir, Ptxas(ptxas, arguments.ptxas_options, arguments.keep_directives, runner, cache),
                 Occupancy(ptxmir, runner, cache), llc, nvcc, variants)


def _read_baseline(arguments, ptxas_version):
    if arguments.baseline is None:
        if arguments.fail_on_regression:
            raise _Unusable("--fail-on-regression needs --baseline")
        return None
    try:
        kernels, version = baseline.read(arguments.baseline)
    except baseline.Unusable as error:
        raise _Unusable(str(error)) from error
    if version != ptxas_version:
        print("the baseline is of another version of ptxas", file=sys.stderr)
    return kernels


def _write_files(arguments, run, settings, marks, versions):
    if arguments.csv:
        with open(arguments.csv, "w", encoding="utf-8", newline="") as file:
            tables.write_csv(file, run.rows)
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump({"version": 1, "tools": versions, "summary": settings, "marks": marks, "failures": run.failures,
                       "statistics": [{"options": options, "budget": budget, "counters": counters}
                                      for (options, budget), counters in run.statistics.items()],
                       "rows": run.rows}, file, indent=1)
            file.write("\n")
    if arguments.html:
        with open(arguments.html, "w", encoding="utf-8") as file:
            file.write(page.make_page(run, settings, marks, versions))
    if arguments.write_baseline:
        baseline.write(arguments.write_baseline, run.rows, versions["ptxas"])


def _report_regressions(arguments, before, run, inputs, option_sets):
    """Prints regressions. Returns true if there are any or if nothing was compared, lest a gate open by mistake."""
    tolerances = {name: getattr(arguments, f"tolerance_{name}") for name, _, _ in baseline.FIGURES}
    worse, better, compared = baseline.compare(before, run.rows, {source.name for source in inputs}, option_sets,
                                     arguments.budgets, tolerances)
    print(f"\n== against the baseline: {compared:,} compared, {len(worse)} worse, {len(better)} better")
    if compared == 0:
        print("no kernel of the baseline at its option set and budget is in this run")
    for line in worse:
        print("worse:  " + line)
    for line in better:
        print("better: " + line)
    return bool(worse) or compared == 0


def _has_own_failures(failures):
    """Returns true if ptxmir failed, unless ptxas rejected its PTX and a peer also failed on that file and budget."""
    of_peers = {(failure["file"], failure["budget"]) for failure in failures if failure["tool"] != "ptxmir"}
    return any(failure["tool"] == "ptxmir" and
               not (failure["error"].startswith("ptxas: ") and (failure["file"], failure["budget"]) in of_peers)
               for failure in failures)


def _run(arguments, runner):
    cache = Cache(arguments.cache or None)
    tools = _make_tools(arguments, runner, cache)
    option_sets = dict(arguments.options or [("O2", ["-O2"])])
    before = _read_baseline(arguments, tools.ptxas.version)
    try:
        inputs = find_inputs(arguments.places, arguments.sm, arguments.mattr)
    except OSError as error:
        raise _Unusable(str(error)) from error
    if not inputs:
        raise _Unusable("there are no .mir files in " + ", ".join(arguments.places))
    harness = Harness(tools, option_sets, arguments.budgets, keep_reports=bool(arguments.html))
    run = harness.run(inputs, max(arguments.jobs, 1), Progress())
    names = [*option_sets, BEST] if len(option_sets) > 1 else list(option_sets)
    settings = summary.summarize(run, names, arguments.budgets)
    marks = summary.marks(settings)
    versions = {"ptxas": tools.ptxas.version, **{peer.name: peer.version for peer in tools.peers()}}
    _write_files(arguments, run, settings, marks, versions)

    for lines in (tables.kernel_table(run.rows, arguments.show), tables.failure_lines(run.failures),
                  tables.summary_lines(settings), tables.mark_lines(marks)):
        print("\n".join(lines) + "\n" if lines else "", end="")
    print(f"{len(inputs)} files; {cache.made} results made, {cache.found} found in the cache", file=sys.stderr)
    has_regressions = before is not None and _report_regressions(arguments, before, run, inputs, names)
    return 1 if _has_own_failures(run.failures) or (has_regressions and arguments.fail_on_regression) else 0


def main(description):
    """Returns the exit status: 0, 1 (ptxmir failed on a file, or a regression), 2 (usage), 130 (interrupted)."""
    arguments = _parser(description).parse_args()
    runner = Runner(arguments.timeout)
    signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))
    try:
        return _run(arguments, runner)
    except _Unusable as error:
        print(f"registers.py: {error}", file=sys.stderr)
        return _USAGE_STATUS
    except (KeyboardInterrupt, Interrupted):
        runner.stop()
        print("interrupted; the same command goes on from here", file=sys.stderr)
        return _INTERRUPTED_STATUS
