// SPDX-License-Identifier: Apache-2.0
//
// The view "Live ranges": beside the code a bar per register, packed into lanes.

/** The widest and narrowest lane in pixels. */
Explore.LANE_WIDTH = {most: 12, least: 5};

/** Returns the ranges sorted by start, each with the lane it fits in: {range, lane, start, end}. */
Explore.packRanges = function (ranges) {
  const packed = ranges
    .filter((range) => range.segments.length > 0)
    .map((range) => ({
      range,
      lane: 0,
      start: Math.min(...range.segments.map(([first]) => first)),
      end: Math.max(...range.segments.map(([, end]) => end)),
    }));
  packed.sort((a, b) => a.start - b.start || b.end - a.end);
  const ends = [];
  for (const bar of packed) {
    let lane = ends.findIndex((end) => end <= bar.start);
    if (lane < 0) lane = ends.length;
    ends[lane] = bar.end;
    bar.lane = lane;
  }
  return packed;
};

/** Returns whether two ranges are live at the same line. */
Explore.interferes = function (one, other) {
  return one.segments.some(([first, end]) => other.segments.some((segment) => first < segment[1] && segment[0] < end));
};

Explore.RangesView = class {
  constructor(context) {
    this.context = context;
    this.stages = context.kernel.machineStages().filter((stage) => stage.ranges.length > 0);
    const wanted = this.stages.find((stage) => String(stage.index) === context.state.stage);
    this.stage = wanted || this.stages[this.stages.length - 1] || null;
    this.chosen = null;
    this.interfering = new Set();
  }

  render(root) {
    if (!this.stage) {
      root.append(Explore.nothing('No stage of this function has live ranges in this page.'));
      return;
    }
    this.bars = Explore.packRanges(this.stage.ranges);
    this.lanes = Math.max(0, ...this.bars.map((bar) => bar.lane)) + 1;
    this.status = Explore.element('div', {class: 'status'});
    this.say();
    const bar = Explore.element(
      'div',
      {class: 'bar'},
      Explore.select('Stage', Explore.stageChoices(this.stages), this.stage.index, (index) =>
        this.context.go({stage: index})
      ),
      this.legend()
    );
    this.code = new Explore.CodeView(this.stage, {onScroll: () => this.draw()});
    const height = this.stage.code.length * Explore.ROW_HEIGHT;
    this.laneWidth = Explore.LANE_WIDTH.most;
    this.picture = Explore.svg('svg', {
      height,
      class: 'ranges',
      onclick: (event) => this.click(event),
      onpointermove: (event) => this.hover(event),
    });
    this.area = Explore.element('div', {class: 'ranges-area', onscroll: () => this.draw()}, this.picture);
    Explore.scrollRowsTogether(this.code.element, this.area);
    Explore.highlight.listen(this.area, () => this.draw());
    const left = Explore.element('section', {class: 'pane'}, this.code.element);
    const right = Explore.element('section', {class: 'pane'}, this.area);
    root.append(Explore.element('div', {class: 'column'}, bar, this.status, Explore.split(left, right, 0.5)));
    new ResizeObserver(() => this.resize()).observe(this.area);
    requestAnimationFrame(() => {
      if (this.stage.peak) this.code.reveal(this.stage.peak.line);
    });
  }

  move(step) {
    const next = this.stages[this.stages.indexOf(this.stage) + step];
    if (next) this.context.go({stage: String(next.index)});
  }

  /** Returns the number of a class for its color. */
  classNumber(name) {
    const known = ['b1', 'b16', 'b32', 'b64', 'b128'].indexOf(name);
    return known < 0 ? 5 : known;
  }

  legend() {
    const classes = [...new Set(this.stage.ranges.map((range) => range.class))].sort();
    return Explore.element(
      'span',
      {class: 'legends'},
      classes.map((name) =>
        Explore.element(
          'span',
          {class: 'legend'},
          Explore.svg(
            'svg',
            {width: 12, height: 10},
            Explore.svg('rect', {class: `class-${this.classNumber(name)}`, width: 12, height: 10})
          ),
          ` ${name}`
        )
      )
    );
  }

  resize() {
    const {most, least} = Explore.LANE_WIDTH;
    this.laneWidth = Math.min(most, Math.max(least, Math.floor((this.area.clientWidth - 12) / this.lanes)));
    this.picture.setAttribute('width', String(this.lanes * this.laneWidth + 8));
    this.draw();
  }

  /** Draws the bars at the rows that can be seen. */
  draw() {
    const first = Math.floor(this.area.scrollTop / Explore.ROW_HEIGHT) - 2;
    const end = first + Math.ceil(this.area.clientHeight / Explore.ROW_HEIGHT) + 4;
    const fragment = document.createDocumentFragment();
    for (const bar of this.bars) {
      if (bar.end <= first || bar.start >= end) continue;
      const start = Math.max(bar.start, first);
      fragment.append(
        Explore.svg('rect', {
          class: `${this.barStyle(bar.range)} hole`,
          x: 3.5 + bar.lane * this.laneWidth + this.laneWidth / 2 - 0.75,
          width: 1,
          y: start * Explore.ROW_HEIGHT,
          height: (Math.min(bar.end, end) - start) * Explore.ROW_HEIGHT,
        })
      );
      for (const [from, to] of bar.range.segments) {
        if (to <= first || from >= end) continue;
        const top = Math.max(from, first);
        const bottom = Math.min(to, end);
        fragment.append(
          Explore.svg('rect', {
            class: this.barStyle(bar.range),
            'data-register': bar.range.register,
            x: 4 + bar.lane * this.laneWidth,
            width: this.laneWidth - 1.5,
            y: top * Explore.ROW_HEIGHT + 1,
            height: (bottom - top) * Explore.ROW_HEIGHT - 2,
            rx: 1.5,
          })
        );
      }
    }
    this.picture.replaceChildren(fragment);
  }

  barStyle(range) {
    const styles = ['range', `class-${this.classNumber(range.class)}`];
    if (this.chosen) {
      styles.push(range === this.chosen ? 'range-chosen' : this.interfering.has(range) ? 'range-near' : 'range-far');
    }
    const color = Explore.highlight.colorOf(`mir:${range.register}`);
    if (color >= 0) styles.push(`pick-line pick-${color}`);
    return styles.join(' ');
  }

  rangeAt(event) {
    const name = event.target.getAttribute && event.target.getAttribute('data-register');
    return name === null ? null : this.stage.ranges.find((range) => range.register === name) || null;
  }

  hover(event) {
    const range = this.rangeAt(event);
    if (range) this.say(range);
  }

  say(range) {
    if (!range) {
      this.status.textContent =
        `${Explore.count(this.bars.length, 'register')} in ` +
        `${Explore.count(this.lanes, 'lane')}. Click a bar to see what it interferes with.`;
      return;
    }
    const lines = range.segments.reduce((sum, [first, end]) => sum + end - first, 0);
    const near = range === this.chosen ? `, interferes with ${Explore.count(this.interfering.size, 'register')}` : '';
    this.status.replaceChildren(
      Explore.element('strong', {}, range.register),
      ` ${range.class}, ${Explore.count(range.units, 'unit')}, live at ${Explore.count(lines, 'line')}` +
        ` in ${Explore.count(range.segments.length, 'segment')}${near}`
    );
  }

  click(event) {
    const range = this.rangeAt(event);
    const key = (some) => `mir:${some.register}`;
    if (this.chosen) Explore.highlight.remove(key(this.chosen));
    if (!range || range === this.chosen) {
      this.chosen = null;
      this.interfering = new Set();
      this.say();
      this.draw();
      return;
    }
    this.chosen = range;
    this.interfering = new Set(
      this.stage.ranges.filter((other) => other !== range && Explore.interferes(range, other))
    );
    this.say(range);
    if (Explore.highlight.colorOf(key(range)) < 0) Explore.highlight.toggle(key(range), null);
    this.draw();
  }
};

/** Makes two panes with rows of the same height scroll up and down together. */
Explore.scrollRowsTogether = function (left, right) {
  const follow = (from, to) =>
    from.addEventListener('scroll', () => {
      if (to.scrollTop !== from.scrollTop) to.scrollTop = from.scrollTop;
    });
  follow(left, right);
  follow(right, left);
};
