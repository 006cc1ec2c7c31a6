# SPDX-License-Identifier: Apache-2.0

"""Runs every compiler on every input, runs ptxas, and builds the rows: one per kernel, option set and budget.

A row is {"file", "kernel", "sm", "options", "budget", "high_pressure", "is_kernel"} with the figures of each tool under
its name (None where the tool has no such kernel):
  registers, stack, shared, barriers, threads    from ptxas and the directives
  code_bytes                                     of the machine code that ptxas makes
  spill_stores, spill_loads                      bytes, those of ptxas
  spill_bytes                                    total, including the tool's own
  warps, max_warps                               occupancy
  compile_seconds                                CPU time of the file's compilation, without ptxas
and for ptxmir, from its reports:
  own_spill_stores, own_spill_loads              bytes
  max_live, max_live_input, target               registers of the result, of the input, and the budget
  steps                                          max-live after each pass
  executed, executed_input                       instructions in the interpreter, for the result and the input
"""

import concurrent.futures
import dataclasses

from registers.compilers import NO_LIMIT
from registers.ptxas import plain_name, ptx_name

# A kernel is under pressure if it needs at least this many registers without a limit, or spills under this cap.
HIGH_PRESSURE_REGISTERS = 48
HIGH_PRESSURE_CAP = "32"
# The option set that stands for the best of the others, for each kernel.
BEST = "best"
# The tool that stands for the best of llc and its variants.
BEST_LLC = "llc-best"
_WORD = 4  # bytes of a spilled register, where a report counts accesses only


@dataclasses.dataclass
class Tools:
    ptxmir: object
    ptxas: object
    occupancy: object
    llc: object = None
    nvcc: object = None
    llc_variants: list = dataclasses.field(default_factory=list)  # llc with other flags

    def peers(self):
        return [tool for tool in (self.llc, *self.llc_variants, self.nvcc) if tool is not None]


@dataclasses.dataclass
class Run:
    """The results of a run."""
    rows: list
    failures: list  # {"file", "tool", "options", "budget", "error"}
    statistics: dict  # (options, budget): {"pass: description": sum over the files}
    reports: list  # (row, the function of ptxmir's report); only if asked for
    seconds: dict  # (tool, options, budget): {file: CPU seconds}


@dataclasses.dataclass
class _Task:
    source: object
    tool: object
    options: str  # name of the option set; empty for peers
    flags: list
    budgets: list


class Harness:
    def __init__(self, tools, option_sets, budgets, keep_reports):
        self._tools = tools
        self._option_sets = option_sets  # {name: flags}
        self._budgets = budgets
        self._keep_reports = keep_reports

    def run(self, inputs, jobs, progress):
        tasks = self._make_tasks(inputs)
        progress.begin(sum(len(task.budgets) for task in tasks))
        results = [None] * len(tasks)
        # The largest first, so that no large one runs alone at the end.
        order = sorted(range(len(tasks)), key=lambda i: -len(tasks[i].source.content))
        pool = concurrent.futures.ThreadPoolExecutor(jobs)
        try:
            futures = {pool.submit(self._run_task, tasks[i], progress): i for i in order}
            for future in concurrent.futures.as_completed(futures):
                results[futures[future]] = future.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            progress.end()
        return self._collect(inputs, tasks, results)

    def _make_tasks(self, inputs):
        tasks = []
        for source in inputs:
            for name, flags in self._option_sets.items():
                tasks.append(_Task(source, self._tools.ptxmir, name, flags, self._budgets_of(self._tools.ptxmir, name)))
            for peer in self._tools.peers():
                if peer is not self._tools.nvcc or source.cuda:
                    tasks.append(_Task(source, peer, "", [], self._budgets_of(peer, "")))
        return tasks

    def _reference(self):
        """Returns the (tool, options) whose figures decide which kernels are under pressure."""
        if self._tools.llc is not None:
            return self._tools.llc, ""
        return self._tools.ptxmir, next(iter(self._option_sets))

    def _budgets_of(self, tool, options):
        budgets = list(self._budgets)
        if (tool, options) == self._reference():
            budgets += [budget for budget in (NO_LIMIT, HIGH_PRESSURE_CAP) if budget not in budgets]
        return budgets

    def _run_task(self, task, progress):
        """Returns {budget: {"functions", "error", "seconds", "stats", "report"}}."""
        results = {}
        for budget in task.budgets:
            if task.tool is self._tools.ptxmir:
                made = task.tool.compile(task.source, budget, task.flags)
            else:
                made = task.tool.compile(task.source, budget)
            result = {"functions": {}, "error": made["error"], "seconds": made["seconds"],
                      "stats": made.get("stats", {}), "report": made.get("report", [])}
            if made["ptx"] is not None:
                judged = self._tools.ptxas.judge(made["ptx"], task.source.sm, budget)
                result["functions"] = {plain_name(name): figures for name, figures in judged["functions"].items()}
                if judged["error"] is not None:
                    result["error"] = "ptxas: " + judged["error"]
                for figures in result["functions"].values():
                    self._tools.occupancy.add_to(figures, task.source.sm)
            if not self._keep_reports:
                for function in result["report"]:
                    function.pop("curves", None)
            results[budget] = result
            progress.advance()
        return results

    def _collect(self, inputs, tasks, results):
        run = Run([], [], {}, [], {})
        by_input = {}
        for task, result in zip(tasks, results):
            by_input.setdefault(task.source.path, {})[task.tool.name, task.options] = result
            for budget in task.budgets:
                one = result[budget]
                if one["error"] is not None:
                    run.failures.append({"file": task.source.name, "tool": task.tool.name, "options": task.options,
                                         "budget": budget, "error": one["error"]})
                elif budget in self._budgets:
                    times = run.seconds.setdefault((task.tool.name, task.options, budget), {})
                    times[task.source.name] = one["seconds"]
                if task.tool is self._tools.ptxmir and budget in self._budgets:
                    sums = run.statistics.setdefault((task.options, budget), {})
                    for name, value in one["stats"].items():
                        sums[name] = sums.get(name, 0) + value
        for source in inputs:
            self._add_rows(source, by_input[source.path], run)
        if len(self._option_sets) > 1:
            run.rows += _best_rows(run.rows)
        return run

    def _add_rows(self, source, results, run):
        tool, options = self._reference()
        reference = results[tool.name, options]
        for name in self._option_sets:
            for budget in self._budgets:
                ours = results["ptxmir", name][budget]
                peers = {peer.name: results.get((peer.name, ""), {}).get(budget) for peer in self._tools.peers()}
                reported = {ptx_name(function["name"]): function for function in ours["report"]}
                functions = dict.fromkeys(ours["functions"])
                for peer in peers.values():
                    functions.update(dict.fromkeys(peer["functions"] if peer else ()))
                for function in functions:
                    row = {"file": source.name, "kernel": function, "sm": source.sm, "options": name, "budget": budget,
                           "high_pressure": _is_high_pressure(reference, function),
                           "ptxmir": _figures(ours, function, reported.get(function))}
                    row.update({peer: _figures(result, function, None) for peer, result in peers.items()})
                    if self._tools.llc_variants:
                        llcs = [row[tool.name] for tool in (self._tools.llc, *self._tools.llc_variants)]
                        row[BEST_LLC] = min(llcs, key=_cost)
                    row["is_kernel"] = any("registers" in (row[tool] or {}) for tool in ("ptxmir", *peers))
                    run.rows.append(row)
                    if self._keep_reports and function in reported:
                        run.reports.append((row, reported[function]))


def _cost(figures):
    """Returns a sort key, best first: by occupancy, spills, instructions executed and registers, in this order."""
    if figures is None:
        return (1,)
    executed, registers = figures.get("executed", 0), figures.get("registers", 0)
    return (0, -figures.get("warps", 0), figures["spill_bytes"], executed, registers)


def _best_rows(rows):
    """Returns for each kernel and budget the row of the best option set; the first one of several equal ones."""
    best = {}
    for row in rows:
        key = (row["file"], row["kernel"], row["budget"])
        if key not in best or _cost(row["ptxmir"]) < _cost(best[key]["ptxmir"]):
            best[key] = row
    return [{**row, "options": BEST, "chosen": row["options"]} for row in best.values()]


def _is_high_pressure(reference, function):
    free = reference[NO_LIMIT]["functions"].get(function, {})
    capped = reference[HIGH_PRESSURE_CAP]["functions"].get(function, {})
    return (free.get("registers", 0) >= HIGH_PRESSURE_REGISTERS or
            capped.get("spill_stores", 0) + capped.get("spill_loads", 0) > 0)


def _figures(result, function, report):
    """Returns the figures of a function compiled by one tool, or None if there are none."""
    if result is None or function not in result["functions"]:
        return None
    figures = dict(result["functions"][function])
    figures["compile_seconds"] = result["seconds"]
    spills = [figures.get("spill_stores", 0), figures.get("spill_loads", 0)]
    if report is not None:
        for kind in ("stores", "loads"):
            bytes_spilled = report.get(f"spill_{kind[:-1]}_bytes", report.get("spill_" + kind, 0) * _WORD)
            figures["own_spill_" + kind] = bytes_spilled
            spills.append(bytes_spilled)
        steps = report.get("steps", [])
        if steps:
            figures["max_live_input"] = steps[0]["max_live"]
            figures["max_live"] = steps[-1]["max_live"]
        figures["steps"] = [{"pass": step["pass"], "max_live": step["max_live"]} for step in steps]
        if report.get("budget"):
            figures["target"] = report["budget"]["registers"]
        if executed := report.get("executed"):
            figures["executed_input"] = executed["input"]
            figures["executed"] = executed["final"]
    figures["spill_bytes"] = sum(spills)
    return figures
