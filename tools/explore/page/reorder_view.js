// SPDX-License-Identifier: Apache-2.0
//
// Shows what a list scheduler moved: a block before and after, with lines between the places of what moved.

/** Passes that only reorder the instructions of blocks. */
Explore.REORDERING_PASSES = new Set(['machine-scheduler', 'misched', 'post-RA-sched', 'post-ra-sched', 'postmisched']);

/** Returns the stages that such passes made, each with the stage before: {before, stage}. */
Explore.reorderings = function (kernel) {
  return kernel.stages
    .filter((stage) => Explore.REORDERING_PASSES.has(stage.name) && !stage.isCut)
    .map((stage) => ({before: Explore.stageBefore(stage), stage}))
    .filter(({before}) => before && before.kind === 'mir');
};

/** Returns the text without flags, which a scheduler may change. */
Explore.plainInstruction = function (text) {
  return text.replace(/\b(?:killed|dead|renamable) /g, '').trim();
};

/** Returns the positions in a longest ascending part of the list. */
Explore.longestAscending = function (values) {
  const ends = [];
  const previous = new Array(values.length).fill(-1);
  values.forEach((value, index) => {
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (values[ends[middle]] < value) low = middle + 1;
      else high = middle;
    }
    previous[index] = low > 0 ? ends[low - 1] : -1;
    ends[low] = index;
  });
  const result = new Set();
  for (let index = ends.length > 0 ? ends[ends.length - 1] : -1; index >= 0; index = previous[index]) result.add(index);
  return result;
};

/** Returns the lines of a block before and after, and what went where: {left, right, pairs: {from, to, isMoved}}. */
Explore.blockMoves = function (before, after, number) {
  const linesOf = (stage) => {
    const block = stage.blockNumbered(number);
    const lines = [];
    for (let line = block ? block.first : 0; block && line < block.end; ++line) {
      if (stage.pressureAt(line) >= 0) lines.push(line);
    }
    return lines;
  };
  const left = linesOf(before);
  const right = linesOf(after);
  const places = new Map();
  right.forEach((line, index) => {
    const text = Explore.plainInstruction(after.text(line));
    if (!places.has(text)) places.set(text, []);
    places.get(text).push(index);
  });
  const pairs = [];
  left.forEach((line, index) => {
    const found = places.get(Explore.plainInstruction(before.text(line)));
    if (found && found.length > 0) pairs.push({from: index, to: found.shift()});
  });
  const still = Explore.longestAscending(pairs.map(({to}) => to));
  pairs.forEach((pair, index) => {
    pair.isMoved = !still.has(index);
  });
  return {left, right, pairs};
};

/** Blocks of more instructions are only shown near what moved. */
Explore.REORDER_LIMIT = 400;

/** Returns the positions to show of so many, given those that moved. */
Explore.shownPositions = function (count, moved) {
  const positions = Array.from({length: count}, (_, index) => index);
  if (count <= Explore.REORDER_LIMIT) return positions;
  const near = new Set();
  for (const index of moved) {
    for (let other = index - 3; other <= index + 3; ++other) near.add(other);
  }
  return positions.filter((index) => near.has(index)).slice(0, 5 * Explore.REORDER_LIMIT);
};

Explore.ReorderView = class {
  constructor({before, stage}) {
    this.before = before;
    this.stage = stage;
    this.blocks = stage.graph.blocks
      .map(({number}) => ({number, moves: Explore.blockMoves(before, stage, number)}))
      .map((entry) => ({...entry, count: entry.moves.pairs.filter(({isMoved}) => isMoved).length}))
      .filter(({count}) => count > 0)
      .sort((a, b) => b.count - a.count);
    this.element = Explore.element('div', {class: 'scroll padded'});
    Explore.highlight.listen(this.element, () => this.draw());
    this.chosen = this.blocks[0] || null;
    this.draw();
  }

  addChoices(bar) {
    if (!this.chosen) return;
    bar.append(
      Explore.select(
        'Block',
        this.blocks.map(({number, count}) => ({value: number, label: `bb.${number} (${count} moved)`})),
        this.chosen.number,
        (number) => {
          this.chosen = this.blocks.find((block) => String(block.number) === number);
          this.draw();
        }
      )
    );
    const live = (stage) => (stage.maxLive === null ? '?' : stage.maxLive);
    bar.append(
      Explore.element('span', {class: 'quiet'}, `${live(this.before)} registers live before, ${live(this.stage)} after`)
    );
  }

  draw() {
    if (!this.chosen) {
      this.element.replaceChildren(Explore.nothing('The scheduler moved no instruction within a block.'));
      return;
    }
    const {left, right, pairs} = this.chosen.moves;
    const movedFrom = new Set(pairs.filter(({isMoved}) => isMoved).map(({from}) => from));
    const movedTo = new Set(pairs.filter(({isMoved}) => isMoved).map(({to}) => to));
    const longer = Math.max(left.length, right.length);
    const shown = Explore.shownPositions(longer, [...movedFrom, ...movedTo]);
    const rowOf = new Map(shown.map((position, row) => [position, row]));
    const height = shown.length * Explore.ROW_HEIGHT;
    const lines = Explore.svg('svg', {class: 'moves', width: 140, height});
    const center = (index) => (index + 0.5) * Explore.ROW_HEIGHT;
    const sorted = [...pairs].sort((a, b) => a.isMoved - b.isMoved);
    for (const {from, to, isMoved} of sorted) {
      if (!rowOf.has(from) || !rowOf.has(to)) continue;
      const start = center(rowOf.get(from));
      const end = center(rowOf.get(to));
      const style = isMoved ? (to < from ? 'move up' : 'move down') : 'move still';
      lines.append(Explore.svg('path', {class: style, d: `M0 ${start}C70 ${start} 70 ${end} 140 ${end}`}));
    }
    this.element.replaceChildren(
      Explore.element(
        'p',
        {class: 'quiet'},
        'Blue moved up, orange moved down; gray stayed in order.' +
          (shown.length < longer ? ' The block is long: only what is near a move is shown.' : '')
      ),
      Explore.element(
        'div',
        {class: 'reorder'},
        this.list(this.before, left, shown, movedFrom),
        lines,
        this.list(this.stage, right, shown, movedTo)
      )
    );
  }

  list(stage, lines, shown, moved) {
    return Explore.element(
      'div',
      {class: 'reorder-list'},
      shown
        .filter((index) => index < lines.length)
        .map((index) => {
          const line = lines[index];
          const row = Explore.element(
            'div',
            {
              class: moved.has(index) ? 'reorder-row moved' : 'reorder-row',
              title: stage.text(line).trim(),
              onclick: () => Explore.highlight.toggleInstruction(stage, line, null),
            },
            Explore.element('span', {class: 'gutter'}, String(stage.pressureAt(line))),
            ` ${stage.text(line).trim()}`
          );
          const color = Explore.highlight.colorOfLine(stage, line);
          if (color >= 0) row.classList.add('pick', `pick-${color}`);
          return row;
        })
    );
  }
};
