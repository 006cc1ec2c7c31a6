// SPDX-License-Identifier: Apache-2.0
//
// A scrolling pane with the code of a stage. Only the rows that can be seen are part of the page.

/** Height of a row in pixels, as in the style sheet. */
Explore.ROW_HEIGHT = 18;

/** Rows that are drawn above and below those that can be seen. */
Explore.ROW_MARGIN = 12;

/** Returns the rows of a stage alone. */
Explore.plainRows = function (stage) {
  return stage.code.map((_, line) => ({line, kind: 'same', part: null}));
};

/** Returns the rows of one side of an alignment; "side" and "other" are "before" and "after" or the reverse. */
Explore.sideRows = function (rows, side, other, stage, opposite) {
  return rows.map((row) => {
    const line = row[side];
    if (row.kind === 'gap') return {line: -1, kind: 'gap', part: null, hidden: row.hidden};
    if (line < 0) return {line: -1, kind: 'filler', part: null};
    const part = row.kind === 'changed' ? Explore.changedPart(stage.text(line), opposite.text(row[other])) : null;
    return {line, kind: row.kind, part};
  });
};

Explore.CodeView = class {
  /** Options: rows (by default all lines), follows (scrolls to what is picked), onPick(line), onScroll(). */
  constructor(stage, options = {}) {
    this.stage = stage;
    this.options = options;
    this.rows = options.rows || Explore.plainRows(stage);
    this.selected = new Set();
    this.first = -1;
    this.end = -1;
    this.body = Explore.element('div', {class: 'code-body'});
    this.body.style.height = `${this.rows.length * Explore.ROW_HEIGHT}px`;
    this.body.style.minWidth = `${this.longestLine() + 14}ch`;
    this.element = Explore.element('div', {class: 'code', tabindex: '0'}, this.body);
    if (stage.isCut) this.body.append(Explore.nothing('The code of this stage was left out to keep the page small.'));
    this.element.addEventListener('scroll', () => {
      this.draw(false);
      if (options.onScroll) options.onScroll();
    });
    this.element.addEventListener('click', (event) => this.click(event));
    Explore.highlight.listen(this.element, (added, origin) => this.highlightChanged(added, origin));
    new ResizeObserver(() => this.draw(false)).observe(this.element);
  }

  longestLine() {
    let longest = 20;
    for (const row of this.rows) {
      if (row.line >= 0) longest = Math.max(longest, this.stage.text(row.line).length);
    }
    return Math.min(longest, 400);
  }

  highlightChanged(added, origin) {
    this.draw(true);
    if (added && origin !== this && this.options.follows) this.follow(added);
  }

  /** Scrolls to what was picked, unless it can be seen. */
  follow(pick) {
    const lines = pick.lines ? [...(pick.lines.get(this.stage) || [])] : this.stage.definitionLines(pick.key);
    const line = pick.lines ? lines.sort((a, b) => a - b)[0] : lines[0];
    const isSeen =
      !pick.lines &&
      this.visibleRows().some(
        (row) =>
          row.line >= 0 &&
          Explore.tokens(this.stage.kind, this.stage.text(row.line)).some((token) => token.key === pick.key)
      );
    if (line !== undefined && !isSeen) this.reveal(line);
  }

  visibleRows() {
    const first = Math.floor(this.element.scrollTop / Explore.ROW_HEIGHT);
    return this.rows.slice(first, first + Math.ceil(this.element.clientHeight / Explore.ROW_HEIGHT));
  }

  draw(isForced) {
    const top = this.element.scrollTop;
    const first = Math.max(0, Math.floor(top / Explore.ROW_HEIGHT) - Explore.ROW_MARGIN);
    const visible = Math.ceil(this.element.clientHeight / Explore.ROW_HEIGHT);
    const end = Math.min(this.rows.length, first + visible + 2 * Explore.ROW_MARGIN);
    if (this.stage.isCut || (!isForced && first === this.first && end === this.end)) return;
    this.first = first;
    this.end = end;
    const fragment = document.createDocumentFragment();
    for (let i = first; i < end; ++i) fragment.append(this.drawRow(this.rows[i], i));
    this.body.replaceChildren(fragment);
  }

  drawRow(row, index) {
    const node = Explore.element('div', {class: `row ${row.kind}`, 'data-row': index});
    node.style.top = `${index * Explore.ROW_HEIGHT}px`;
    if (row.line < 0) {
      if (row.kind === 'gap') node.append(`${Explore.count(row.hidden, 'equal line')}`);
      return node;
    }
    const stage = this.stage;
    const value = stage.pressureAt(row.line);
    const gutter = Explore.element('span', {class: 'gutter'}, String(row.line + 1));
    const live = Explore.element(
      'span',
      {class: 'live', title: value >= 0 ? `${value} registers live` : null},
      value >= 0 ? String(value) : ''
    );
    if (value >= 0 && stage.maxLive > 0) live.style.setProperty('--share', String(value / stage.maxLive));
    const blockColor = Explore.highlight.colorOfBlockAt(stage, row.line);
    if (blockColor >= 0) gutter.classList.add('pick', `pick-${blockColor}`);
    const lineColor = Explore.highlight.colorOfLine(stage, row.line);
    if (lineColor >= 0) node.classList.add('pick', `pick-${lineColor}`);
    if (this.selected.has(row.line)) node.classList.add('selected');
    node.append(gutter, live, this.drawText(row));
    return node;
  }

  drawText(row) {
    const text = Explore.element('span', {class: 'text'});
    let position = 0;
    for (const token of Explore.tokens(this.stage.kind, this.stage.text(row.line))) {
      for (const {piece, isChanged} of this.pieces(token.text, position, row.part)) {
        if (!token.style && !isChanged) {
          text.append(piece);
          continue;
        }
        const node = Explore.element('span', {class: token.style, 'data-key': token.key || null}, piece);
        if (isChanged) node.classList.add('part');
        const color = token.key ? Explore.highlight.colorOf(token.key) : -1;
        if (color >= 0) node.classList.add('pick', `pick-${color}`);
        text.append(node);
      }
      position += token.text.length;
    }
    return text;
  }

  /** Cuts a token at the ends of the changed part of its line. */
  pieces(text, position, part) {
    if (!part) return [{piece: text, isChanged: false}];
    const start = Math.min(text.length, Math.max(0, part[0] - position));
    const end = Math.min(text.length, Math.max(start, part[1] - position));
    return [
      {piece: text.slice(0, start), isChanged: false},
      {piece: text.slice(start, end), isChanged: true},
      {piece: text.slice(end), isChanged: false},
    ].filter(({piece}) => piece);
  }

  click(event) {
    if (String(document.getSelection())) return;
    const token = event.target.closest('[data-key]');
    const node = event.target.closest('[data-row]');
    if (!node) return;
    const row = this.rows[Number(node.getAttribute('data-row'))];
    if (token) {
      Explore.highlight.toggle(token.getAttribute('data-key'), this);
    } else if (row && row.line >= 0 && this.stage.text(row.line).trim()) {
      Explore.highlight.toggleInstruction(this.stage, row.line, this);
      if (this.options.onPick) this.options.onPick(row.line);
    }
  }

  rowOfLine(line) {
    return this.rows.findIndex((row) => row.line === line);
  }

  /** Scrolls so that the line can be seen, in the middle if it could not be. */
  reveal(line) {
    const row = this.rowOfLine(line);
    if (row < 0) return;
    const top = row * Explore.ROW_HEIGHT;
    const view = this.element;
    if (top < view.scrollTop || top + 2 * Explore.ROW_HEIGHT > view.scrollTop + view.clientHeight) {
      view.scrollTop = Math.max(0, top - view.clientHeight / 2);
    }
  }

  /** Selects lines, and scrolls to the first. */
  select(lines) {
    this.selected = new Set(lines);
    if (lines.length > 0) this.reveal(lines[0]);
    this.draw(true);
  }
};

/** Makes two panes scroll together. */
Explore.scrollTogether = function (left, right) {
  const follow = (from, to) => {
    from.addEventListener('scroll', () => {
      if (to.scrollTop !== from.scrollTop) to.scrollTop = from.scrollTop;
      if (to.scrollLeft !== from.scrollLeft) to.scrollLeft = from.scrollLeft;
    });
  };
  follow(left, right);
  follow(right, left);
};
