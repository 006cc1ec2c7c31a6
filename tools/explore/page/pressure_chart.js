// SPDX-License-Identifier: Apache-2.0
//
// Draws the registers live over the instructions of a stage as a curve.

/** Room around the curve: for the axis, the names of limits, and the bands of blocks. */
Explore.CHART_MARGIN = {left: 40, right: 140, top: 14, bottom: 44};

/** Returns round numbers from 0 to at least the value. */
Explore.axisTicks = function (most) {
  const rough = Math.max(1, most) / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(
    1,
    [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= rough)
  );
  const ticks = [];
  for (let tick = 0; tick < most + step; tick += step) ticks.push(tick);
  return ticks;
};

/** Returns places near those that are wanted (ascending), with at least the distance between them. */
Explore.spreadLabels = function (wanted, distance, end) {
  const places = [];
  wanted.forEach((place, index) => {
    places.push(index > 0 ? Math.max(place, places[index - 1] + distance) : place);
  });
  for (let index = places.length - 1; index >= 0; --index) {
    const most = index === places.length - 1 ? end : places[index + 1] - distance;
    places[index] = Math.min(places[index], most);
  }
  return places;
};

Explore.PressureChart = class {
  /**
   * Options: stage, others (a stage for comparison and one of the other version, each may be null), onHover(line),
   * onPick(line), onPeak().
   */
  constructor(options) {
    this.options = options;
    this.stage = options.stage;
    this.kernel = options.stage.kernel;
    this.lines = this.stage.instructionLines();
    this.positionOfLine = new Map(this.lines.map((line, index) => [line, index]));
    this.element = Explore.element('div', {class: 'chart'});
    new ResizeObserver(() => this.draw()).observe(this.element);
  }

  draw() {
    const width = this.element.clientWidth;
    const height = this.element.clientHeight;
    if (width === 0 || height === 0) return;
    const margin = Explore.CHART_MARGIN;
    this.left = margin.left;
    this.innerWidth = Math.max(50, width - margin.left - margin.right);
    this.bottom = height - margin.bottom;
    this.top = margin.top;
    const ticks = Explore.axisTicks(this.highest());
    this.most = ticks[ticks.length - 1];
    const picture = Explore.svg('svg', {width, height, role: 'img', 'aria-label': 'Registers live per instruction'});
    for (const tick of ticks) picture.append(this.horizontal(tick, 'grid'), this.tickLabel(tick));
    picture.append(
      Explore.svg(
        'text',
        {x: this.left + this.innerWidth + 13, y: this.bottom + 14, class: 'axis'},
        Explore.count(this.lines.length, 'instruction')
      )
    );
    this.drawBlocks(picture);
    this.drawLimits(picture);
    for (const [index, other] of this.options.others.entries()) {
      if (!other) continue;
      const values = other.instructionLines().map((line) => other.pressureAt(line));
      picture.append(Explore.svg('path', {class: `curve other-${index}`, d: this.path(values, false)}));
    }
    const values = this.lines.map((line) => this.stage.pressureAt(line));
    picture.append(
      Explore.svg('path', {class: 'curve-area', d: this.path(values, true)}),
      Explore.svg('path', {class: 'curve', d: this.path(values, false)})
    );
    this.drawPeak(picture);
    this.drawCursor(picture);
    this.element.replaceChildren(picture);
  }

  /** Returns the highest value that the chart must have room for. */
  highest() {
    const budget = this.kernel.budget ? this.kernel.budget.registers : 0;
    const live = Math.max(
      1,
      this.stage.maxLive || 0,
      ...this.options.others.map((stage) => (stage ? stage.maxLive : 0))
    );
    return budget > 0 && budget < 3 * live ? Math.max(live, budget) : live;
  }

  x(position, count) {
    return this.left + (position / Math.max(1, count)) * this.innerWidth;
  }

  y(value) {
    return this.bottom - (value / this.most) * (this.bottom - this.top);
  }

  horizontal(value, style) {
    return Explore.svg('line', {
      class: style,
      x1: this.left,
      x2: this.left + this.innerWidth,
      y1: this.y(value),
      y2: this.y(value),
    });
  }

  tickLabel(tick) {
    return Explore.svg(
      'text',
      {class: 'axis', x: this.left - 6, y: this.y(tick) + 4, 'text-anchor': 'end'},
      String(tick)
    );
  }

  /** Returns a path with a step per value. */
  path(values, isArea) {
    if (values.length === 0) return '';
    const parts = [`M${this.x(0, values.length).toFixed(1)} ${(isArea ? this.y(0) : this.y(values[0])).toFixed(1)}`];
    values.forEach((value, index) => {
      parts.push(`V${this.y(value).toFixed(1)}H${this.x(index + 1, values.length).toFixed(1)}`);
    });
    if (isArea) parts.push(`V${this.y(0).toFixed(1)}Z`);
    return parts.join('');
  }

  drawLimits(picture) {
    const end = this.left + this.innerWidth;
    const labels = [];
    const budget = this.kernel.budget;
    if (budget) {
      labels.push({
        value: budget.registers,
        style: 'budget',
        text: `${budget.is_hard ? 'hard ' : ''}budget ${budget.registers}`,
        title: budget.text || '',
      });
    }
    for (const step of this.kernel.occupancy ? this.kernel.occupancy.steps : []) {
      labels.push({
        value: step.registers,
        style: 'step',
        text: `${step.registers}: ${step.warps} warps, ${Math.round(step.percent)}%`,
        title: `With at most ${step.registers} registers ${step.warps} warps fit (${step.percent}% occupancy).`,
      });
    }
    const shown = labels.filter(({value}) => value <= this.most).sort((a, b) => b.value - a.value);
    const places = Explore.spreadLabels(
      shown.map(({value}) => this.y(value)),
      12,
      this.bottom
    );
    shown.forEach(({value, style, text, title}, index) => {
      const y = this.y(value);
      picture.append(
        this.horizontal(value, style),
        Explore.svg('path', {class: 'leader', d: `M${end} ${y}L${end + 10} ${places[index]}`}),
        Explore.svg(
          'text',
          {class: `${style}-label`, x: end + 13, y: places[index] + 4},
          text,
          Explore.svg('title', {}, title)
        )
      );
    });
  }

  /** Draws the blocks as bands below the axis; each loop around them is a shade. */
  drawBlocks(picture) {
    const top = this.bottom + 5;
    let labelled = -Infinity;
    for (const [index, block] of this.stage.graph.blocks.entries()) {
      const inside = this.lines.filter((line) => block.first <= line && line < block.end);
      if (inside.length === 0) continue;
      const first = this.positionOfLine.get(inside[0]);
      const x = this.x(first, this.lines.length);
      const width = this.x(first + inside.length, this.lines.length) - x;
      const text = `bb.${block.number}, loop depth ${block.depth}, at most ${block.peak} live`;
      const band = Explore.svg(
        'g',
        {class: 'band', onclick: () => this.options.onPick(inside[0])},
        Explore.svg('rect', {class: index % 2 ? 'band-odd' : 'band-even', x, y: top, width, height: 6})
      );
      for (let depth = 0; depth < Math.min(block.depth, 4); ++depth) {
        band.append(Explore.svg('rect', {class: 'loop-shade', x, y: top + 7 + 3 * depth, width, height: 3}));
      }
      band.append(Explore.svg('title', {}, text));
      picture.append(band);
      if (block.depth > 0) {
        picture.append(
          Explore.svg('rect', {
            class: 'loop-column',
            x,
            y: this.top,
            width,
            height: this.bottom - this.top,
            'fill-opacity': Math.min(0.24, 0.06 * block.depth),
          })
        );
      }
      const label = `bb.${block.number}`;
      if (x > labelled && width > 10) {
        picture.append(Explore.svg('text', {class: 'axis', x, y: top + 26}, label));
        labelled = x + 7 * label.length + 4;
      }
    }
  }

  drawPeak(picture) {
    const peak = this.stage.peak;
    if (!peak || !this.positionOfLine.has(peak.line)) return;
    const x = this.x(this.positionOfLine.get(peak.line) + 0.5, this.lines.length);
    const y = this.y(this.stage.pressureAt(peak.line));
    const isLate = x > this.left + this.innerWidth * 0.8;
    picture.append(
      Explore.svg(
        'g',
        {
          class: 'peak',
          onclick: (event) => {
            event.stopPropagation();
            this.options.onPeak();
          },
        },
        Explore.svg('circle', {cx: x, cy: y, r: 5}),
        Explore.svg(
          'text',
          {x: isLate ? x - 8 : x + 8, y: y - 4, 'text-anchor': isLate ? 'end' : 'start'},
          `peak ${this.stage.pressureAt(peak.line)}`
        )
      )
    );
  }

  drawCursor(picture) {
    this.cursor = Explore.svg('line', {class: 'cursor', y1: this.top, y2: this.bottom, x1: -10, x2: -10});
    const area = Explore.svg('rect', {
      class: 'chart-area',
      x: this.left,
      y: this.top,
      width: this.innerWidth,
      height: this.bottom - this.top,
    });
    const lineAt = (event) => {
      const x = event.clientX - this.element.getBoundingClientRect().left - this.left;
      const position = Math.floor((x / this.innerWidth) * this.lines.length);
      return this.lines[Math.min(this.lines.length - 1, Math.max(0, position))];
    };
    area.addEventListener('pointermove', (event) => this.hover(lineAt(event)));
    area.addEventListener('click', (event) => this.options.onPick(lineAt(event)));
    picture.insertBefore(area, picture.querySelector('.peak'));
    picture.append(this.cursor);
  }

  hover(line) {
    if (line === undefined) return;
    this.point(line);
    this.options.onHover(line);
  }

  /** Moves the cursor to a line. */
  point(line) {
    if (!this.cursor || !this.positionOfLine.has(line)) return;
    const x = this.x(this.positionOfLine.get(line) + 0.5, this.lines.length);
    this.cursor.setAttribute('x1', x);
    this.cursor.setAttribute('x2', x);
  }
};
