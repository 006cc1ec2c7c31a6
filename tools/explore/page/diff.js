// SPDX-License-Identifier: Apache-2.0
//
// Compares two lists of lines by Myers' algorithm, and lays them out side by side.

/** Differences that one search looks for before it settles for the best path so far. */
Explore.DIFF_LIMIT = 600;

/** Returns the pairs of equal elements [index in before, index in after], both ascending. */
Explore.matches = function (before, after) {
  const pairs = [];
  let x = 0;
  let y = 0;
  while (x < before.length && y < after.length) {
    [x, y] = Explore.searchMatches(before, after, x, y, pairs);
  }
  return pairs;
};

/** Adds the matches of a shortest path from (startX, startY); returns where the path ends. */
Explore.searchMatches = function (before, after, startX, startY, pairs) {
  const width = before.length - startX;
  const height = after.length - startY;
  const limit = Math.min(width + height, Explore.DIFF_LIMIT);
  const offset = limit + 1;
  const furthest = new Int32Array(2 * limit + 3);
  const trace = [];
  for (let distance = 0; distance <= limit; ++distance) {
    trace.push(furthest.slice(offset - distance, offset + distance + 1));
    let best = -1;
    let bestDiagonal = 0;
    for (let diagonal = -distance; diagonal <= distance; diagonal += 2) {
      const down =
        diagonal === -distance ||
        (diagonal !== distance && furthest[offset + diagonal - 1] < furthest[offset + diagonal + 1]);
      let x = down ? furthest[offset + diagonal + 1] : furthest[offset + diagonal - 1] + 1;
      while (x < width && x - diagonal < height && before[startX + x] === after[startY + x - diagonal]) ++x;
      furthest[offset + diagonal] = x;
      const isInside = x <= width && x - diagonal <= height;
      if (isInside && 2 * x - diagonal > best) {
        best = 2 * x - diagonal;
        bestDiagonal = diagonal;
      }
    }
    if (best === width + height || distance === limit) {
      const x = furthest[offset + bestDiagonal];
      Explore.collectMatches(trace, distance, bestDiagonal, x, startX, startY, pairs);
      const isStuck = best <= 0;
      return isStuck ? [before.length, after.length] : [startX + x, startY + x - bestDiagonal];
    }
  }
  return [before.length, after.length];
};

/** Follows a path back to its start, and appends its matches in ascending order. */
Explore.collectMatches = function (trace, distance, diagonal, x, startX, startY, pairs) {
  const found = [];
  for (let step = distance; step >= 0; --step) {
    const previous = trace[step];
    const at = (other) => {
      const index = other + step;
      return index >= 0 && index < previous.length ? previous[index] : 0;
    };
    let startOfSnake = 0;
    let nextDiagonal = diagonal;
    if (step > 0) {
      const down = diagonal === -step || (diagonal !== step && at(diagonal - 1) < at(diagonal + 1));
      nextDiagonal = down ? diagonal + 1 : diagonal - 1;
      startOfSnake = down ? at(nextDiagonal) : at(nextDiagonal) + 1;
    }
    for (let position = x; position > startOfSnake; --position) {
      found.push([startX + position - 1, startY + position - 1 - diagonal]);
    }
    if (step > 0) x = at(nextDiagonal);
    diagonal = nextDiagonal;
  }
  for (let i = found.length - 1; i >= 0; --i) pairs.push(found[i]);
};

/** Returns what a line is recognized by when its text changed: its results, else its first word. */
Explore.lineLabel = function (stage, line) {
  const text = stage.text(line);
  const defined = Explore.definedKeys(stage.kind, text);
  if (defined.length > 0) return defined.join(' ');
  const word = text.match(/^\s*(?:; )?(\S+)/);
  return word ? `word:${word[1]}` : '';
};

/** Returns what a line computes, without where to. */
Explore.lineComputation = function (stage, line) {
  const text = stage.text(line);
  const end = text.indexOf(' = ');
  return end >= 0 ? text.slice(end) : '';
};

/** What lines between two matches are told apart by: first by all of a kind, then by the next. */
Explore.LINE_LABELS = [Explore.lineLabel, Explore.lineComputation];

/** Appends rows for lines between two matches: lines with the same label stand opposite each other. */
Explore.alignGap = function (before, after, gap, rows, level = 0) {
  const labels = new Map();
  const numbered = (stage, first, end) => {
    const list = [];
    for (let line = first; line < end; ++line) {
      const label = Explore.LINE_LABELS[level](stage, line) || `line:${stage === before}:${line}`;
      if (!labels.has(label)) labels.set(label, labels.size);
      list.push(labels.get(label));
    }
    return list;
  };
  const pairs = Explore.matches(numbered(before, gap.before, gap.beforeEnd), numbered(after, gap.after, gap.afterEnd));
  let left = gap.before;
  let right = gap.after;
  const fill = (leftEnd, rightEnd) => {
    if (left < leftEnd && right < rightEnd && level + 1 < Explore.LINE_LABELS.length) {
      const rest = {before: left, beforeEnd: leftEnd, after: right, afterEnd: rightEnd};
      Explore.alignGap(before, after, rest, rows, level + 1);
      left = leftEnd;
      right = rightEnd;
    }
    for (; left < leftEnd; ++left) rows.push({before: left, after: -1, kind: 'removed'});
    for (; right < rightEnd; ++right) rows.push({before: -1, after: right, kind: 'added'});
  };
  for (const [x, y] of pairs) {
    fill(gap.before + x, gap.after + y);
    rows.push({before: left++, after: right++, kind: 'changed'});
  }
  fill(gap.beforeEnd, gap.afterEnd);
};

Explore.alignmentCache = new WeakMap();

/** Returns the rows of two stages of one kind side by side: {before, after, kind}; a line is -1 if there is none. */
Explore.align = function (before, after) {
  let ofBefore = Explore.alignmentCache.get(before);
  if (!ofBefore) Explore.alignmentCache.set(before, (ofBefore = new Map()));
  let rows = ofBefore.get(after);
  if (rows) return rows;
  ofBefore.set(after, (rows = []));
  let left = 0;
  let right = 0;
  const pairs = Explore.matches(before.identities(), after.identities());
  pairs.push([before.code.length, after.code.length]);
  for (const [x, y] of pairs) {
    if (left < x || right < y) {
      Explore.alignGap(before, after, {before: left, beforeEnd: x, after: right, afterEnd: y}, rows);
    }
    if (x < before.code.length) rows.push({before: x, after: y, kind: 'same'});
    left = x + 1;
    right = y + 1;
  }
  return rows;
};

/** Returns the part [start, end) of the text that differs from the other text. */
Explore.changedPart = function (text, other) {
  const shorter = Math.min(text.length, other.length);
  let start = 0;
  while (start < shorter && text[start] === other[start]) ++start;
  let tail = 0;
  while (tail < shorter - start && text[text.length - 1 - tail] === other[other.length - 1 - tail]) ++tail;
  return [start, text.length - tail];
};

/** Returns the rows at which changes begin. */
Explore.changeStarts = function (rows) {
  const isChange = (row) => row !== undefined && row.kind !== 'same' && row.kind !== 'gap';
  return rows.map((_, index) => index).filter((index) => isChange(rows[index]) && !isChange(rows[index - 1]));
};

/** Returns the rows near a change, with a row of kind "gap" for those left out. */
Explore.onlyChanges = function (rows, context) {
  const kept = new Uint8Array(rows.length);
  rows.forEach((row, index) => {
    if (row.kind !== 'same') kept.fill(1, Math.max(0, index - context), Math.min(rows.length, index + context + 1));
  });
  const result = [];
  for (let i = 0; i < rows.length; ++i) {
    if (kept[i]) {
      result.push(rows[i]);
      continue;
    }
    let end = i;
    while (end < rows.length && !kept[end]) ++end;
    result.push({before: -1, after: -1, kind: 'gap', hidden: end - i});
    i = end - 1;
  }
  return result;
};
