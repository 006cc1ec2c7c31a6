// SPDX-License-Identifier: Apache-2.0
//
// The picks: registers, blocks and instructions that are highlighted everywhere, each in a color of its own.

/** Colors that the style sheet has for picks. */
Explore.PICK_COLORS = 8;

Explore.Highlight = class {
  constructor() {
    this.picks = [];
    this.listeners = [];
  }

  /** Calls the listener after each change, for as long as its element is part of the page. */
  listen(node, listener) {
    this.listeners.push({node, listener});
  }

  /** Returns the color of what has that key, or -1. */
  colorOf(key) {
    for (const pick of this.picks) {
      if (pick.key === key) return pick.color;
    }
    return -1;
  }

  /** Returns the color of a line that an instruction was picked by or followed to, or -1. */
  colorOfLine(stage, line) {
    for (const pick of this.picks) {
      if (pick.lines && pick.lines.has(stage) && pick.lines.get(stage).has(line)) return pick.color;
    }
    return -1;
  }

  /** Returns the color of a block's lines, or -1. */
  colorOfBlockAt(stage, line) {
    for (const pick of this.picks) {
      if (!pick.key.startsWith('block:')) continue;
      const block = stage.blockNumbered(Number(pick.key.slice(6)));
      if (block && block.first <= line && line < block.end) return pick.color;
    }
    return -1;
  }

  toggle(key, origin) {
    if (this.colorOf(key) >= 0) {
      this.remove(key);
      return;
    }
    this.add({key, label: Explore.keyName(key), lines: null}, origin);
  }

  toggleInstruction(stage, line, origin) {
    const color = this.colorOfLine(stage, line);
    if (color >= 0) {
      this.picks = this.picks.filter((pick) => pick.color !== color);
      this.notify(null, origin);
      return;
    }
    const label = stage.text(line).trim().slice(0, 40);
    const key = `instruction:${stage.kernel.version.index}:${stage.index}:${line}`;
    this.add({key, label, lines: Explore.followInstruction(stage, line)}, origin);
  }

  add(pick, origin) {
    const used = new Set(this.picks.map((other) => other.color));
    pick.color = 0;
    while (used.has(pick.color) && pick.color < Explore.PICK_COLORS) ++pick.color;
    if (pick.color === Explore.PICK_COLORS) pick.color = this.picks.shift().color;
    this.picks.push(pick);
    this.notify(pick, origin);
  }

  remove(key) {
    this.picks = this.picks.filter((pick) => pick.key !== key);
    this.notify(null, null);
  }

  clear() {
    if (this.picks.length === 0) return;
    this.picks = [];
    this.notify(null, null);
  }

  notify(added, origin) {
    this.listeners = this.listeners.filter(({node}) => node.isConnected);
    for (const {listener} of this.listeners) listener(added, origin);
  }
};

Explore.highlight = new Explore.Highlight();

/** Returns the line of the other stage that is opposite the line, or -1. */
Explore.oppositeLine = function (from, to, line) {
  if (from.kind !== to.kind) return -1;
  const isForward = from.index < to.index;
  const rows = isForward ? Explore.align(from, to) : Explore.align(to, from);
  const row = rows.find((candidate) => (isForward ? candidate.before : candidate.after) === line);
  return row ? (isForward ? row.after : row.before) : -1;
};

/** Returns the line of an instruction per stage of its kind, by the registers that it defines, else by those opposite. */
Explore.followWithinKind = function (stage, line) {
  const lines = new Map([[stage, line]]);
  const defined = Explore.definedKeys(stage.kind, stage.text(line));
  const stages = stage.kernel.stages;
  for (const step of [1, -1]) {
    let last = stage;
    for (let i = stage.index + step; i >= 0 && i < stages.length; i += step) {
      const next = stages[i];
      if (next.kind !== stage.kind) break;
      if (next.isCut) continue;
      const candidates = defined.length > 0 ? next.definitionLines(defined[0]) : [];
      let found = candidates.length === 1 ? candidates[0] : Explore.oppositeLine(last, next, lines.get(last));
      if (candidates.length > 1 && !candidates.includes(found)) found = candidates[0];
      if (found < 0) break;
      lines.set(next, found);
      last = next;
    }
  }
  return lines;
};

/**
 * Returns the set of lines of an instruction per stage. From IR to DAG and the first MIR it is followed by the numbers
 * of the IR's instructions, and from the last MIR to PTX by lines.
 */
Explore.followInstruction = function (stage, line) {
  const lines = new Map();
  const put = (at, found) => lines.set(at, (lines.get(at) || new Set()).add(found));
  const follow = (from, start) => Explore.followWithinKind(from, start).forEach((found, at) => put(at, found));
  const stages = stage.kernel.stages.filter((other) => !other.isCut);
  const ofKind = (kind) => stages.filter((other) => other.kind === kind);
  const lastIr = ofKind('ir').pop();
  const [firstMir] = ofKind('mir');
  const lastMir = ofKind('mir').pop();
  const ordersAt = (at) => [...(lines.get(at) || [])].map((found) => at.irOrders[found]).filter((order) => order > 0);
  const linesWith = (at, orders) => [...at.irOrders.keys()].filter((found) => orders.has(at.irOrders[found]));

  follow(stage, line);
  if (stage.kind === 'ptx' && lastMir && stage.machineLines[line] >= 0) follow(lastMir, stage.machineLines[line]);
  const start = {ir: lastIr, dag: stage}[stage.kind] || firstMir;
  const orders = new Set(start ? ordersAt(start) : []);
  if (stage.kind !== 'ir' && lastIr) linesWith(lastIr, orders).forEach((found) => follow(lastIr, found));
  for (const dag of ofKind('dag').filter((other) => !lines.has(other))) {
    linesWith(dag, orders).forEach((found) => put(dag, found));
  }
  const isAbove = stage.kind === 'ir' || stage.kind === 'dag';
  if (isAbove && firstMir) linesWith(firstMir, orders).forEach((found) => follow(firstMir, found));
  const reached = lines.get(lastMir) || new Set();
  for (const ptx of stage.kind === 'ptx' ? [] : ofKind('ptx')) {
    ptx.machineLines.forEach((found, at) => reached.has(found) && put(ptx, at));
  }
  return lines;
};
