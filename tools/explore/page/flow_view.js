// SPDX-License-Identifier: Apache-2.0
//
// The view "Control flow": the graph of blocks with loops as boxes, and the code of the block that is chosen.

/** Returns a path through the points with vertical tangents. */
Explore.flowPath = function (points) {
  const number = (value) => value.toFixed(1);
  const parts = [`M${number(points[0][0])} ${number(points[0][1])}`];
  for (let i = 1; i < points.length; ++i) {
    const [x1, y1] = points[i - 1];
    const [x2, y2] = points[i];
    const middle = number((y1 + y2) / 2);
    parts.push(`C${number(x1)} ${middle} ${number(x2)} ${middle} ${number(x2)} ${number(y2)}`);
  }
  return parts.join('');
};

/** Returns a path that leaves downwards, goes up in a lane at the side, and arrives from above. */
Explore.backPath = function ({points, lane}) {
  const start = points.length > 1 ? Explore.flowPath(points) : `M${points[0][0]} ${points[0][1]}`;
  const [x1, y1] = lane.from;
  const [x2, y2] = lane.to;
  const bend = 12;
  return (
    `${start}C${x1} ${y1 + 16} ${lane.x} ${y1 + 16} ${lane.x} ${y1 - bend}V${y2 + bend}` +
    `C${lane.x} ${y2 - 18} ${x2} ${y2 - 18} ${x2} ${y2}`
  );
};

Explore.FlowView = class {
  constructor(context) {
    this.context = context;
    this.stages = context.kernel.machineStages().filter((stage) => stage.graph.blocks.length > 0);
    const wanted = this.stages.find((stage) => String(stage.index) === context.state.stage);
    this.stage = wanted || this.stages[this.stages.length - 1] || null;
    this.scale = 1;
  }

  render(root) {
    if (!this.stage) {
      root.append(Explore.nothing('There is no stage of machine code with blocks.'));
      return;
    }
    const blocks = this.stage.graph.blocks;
    this.hasCounts = blocks.some((block) => block.executed !== undefined);
    this.color = this.context.state.color || 'pressure';
    const last = {value: 'count', label: this.hasCounts ? 'Executed' : 'Frequency'};
    const bar = Explore.element(
      'div',
      {class: 'bar'},
      Explore.select('Stage', Explore.stageChoices(this.stages), this.stage.index, (index) =>
        this.context.go({stage: index})
      ),
      Explore.element(
        'span',
        {class: 'field'},
        'Color: ',
        Explore.choice('Color', [{value: 'pressure', label: 'Registers'}, last], this.color, (color) => {
          this.color = color;
          this.context.setState({color: color === 'pressure' ? '' : color});
          this.draw();
        })
      ),
      Explore.button('\u2212', () => this.zoom(this.scale / 1.25), {title: 'smaller'}),
      Explore.button('+', () => this.zoom(this.scale * 1.25), {title: 'larger'}),
      Explore.button('Fit', () => this.fit()),
      Explore.element(
        'span',
        {class: 'quiet'},
        `${Explore.count(blocks.length, 'block')}, ` + Explore.count(this.stage.graph.loops.length, 'loop')
      )
    );
    this.area = Explore.element('div', {class: 'flow'});
    this.code = new Explore.CodeView(this.stage);
    const left = Explore.element('div', {class: 'column'}, bar, this.area);
    const right = Explore.element('section', {class: 'pane'}, Explore.stageHead(this.stage), this.code.element);
    root.append(Explore.split(left, right, 0.55));
    this.mostLive = Math.max(...blocks.map((block) => block.peak));
    this.mostWeight = Math.max(...blocks.map((block) => this.weight(block)));
    this.layout = Explore.layoutFlow(this.stage.graph, (block) => this.size(block));
    Explore.highlight.listen(this.area, () => this.draw());
    this.draw();
    requestAnimationFrame(() => this.fit());
  }

  move(step) {
    const next = this.stages[this.stages.indexOf(this.stage) + step];
    if (next) this.context.go({stage: String(next.index)});
  }

  size(block) {
    const longest = Math.max(...['pressure', 'count'].map((color) => this.facts(block, color).length));
    return {width: 34 + 7 * longest, height: 38};
  }

  /** Returns what is written in a block that is colored so. */
  facts(block, color) {
    const count = `${this.instructionCount(block)} instr`;
    if (color === 'pressure') return `${count}, ${block.peak} live`;
    if (this.hasCounts) return `${count}, ${Explore.shortNumber(block.executed || 0)} executed`;
    return `${count}, \u00d7 ${Explore.shortNumber(block.frequency || 0)}`;
  }

  instructionCount(block) {
    let count = 0;
    for (let line = block.first; line < block.end; ++line) count += this.stage.pressureAt(line) >= 0 ? 1 : 0;
    return count;
  }

  /** Returns how much a block executes, on a scale where ten times as much is one step. */
  weight(block) {
    return Math.log1p((this.hasCounts ? block.executed : block.frequency) || 0);
  }

  /** Returns how strongly a block is colored, from 0 to 1. */
  heat(block) {
    const share = (value, most) => (most > 0 ? value / most : 0);
    if (this.color === 'pressure') return share(block.peak, this.mostLive);
    return share(this.weight(block), this.mostWeight);
  }

  draw() {
    const pad = 24;
    this.width = this.layout.width + 2 * pad;
    this.height = this.layout.height + 2 * pad;
    const content = Explore.svg('g', {transform: `translate(${pad} ${pad})`});
    for (const {loop, x, y, width, height} of this.layout.loops) {
      content.append(
        Explore.svg('rect', {class: 'loop-box', x, y, width, height, rx: 8}),
        Explore.svg('text', {class: 'axis', x: x + 6, y: y + height - 5}, `loop bb.${loop.header}, depth ${loop.depth}`)
      );
    }
    const most = Math.max(1e-9, ...this.layout.edges.map((edge) => this.flow(edge)));
    const centers = new Map(this.layout.blocks.map(({block, x, width}) => [block, x + width / 2]));
    for (const edge of this.layout.edges) this.drawEdge(content, edge, most, centers.get(edge.source));
    for (const placed of this.layout.blocks) content.append(this.drawBlock(placed));
    this.picture = Explore.svg(
      'svg',
      {viewBox: `0 0 ${this.width} ${this.height}`, role: 'img', 'aria-label': 'Control flow'},
      Explore.svg(
        'defs',
        {},
        Explore.svg(
          'marker',
          {
            id: 'arrow',
            viewBox: '0 0 8 8',
            refX: 7,
            refY: 4,
            markerWidth: 8,
            markerHeight: 8,
            markerUnits: 'userSpaceOnUse',
            orient: 'auto',
          },
          Explore.svg('path', {class: 'arrow', d: 'M0 0L8 4L0 8Z'})
        )
      ),
      content
    );
    this.area.replaceChildren(this.picture);
    this.zoom(this.scale);
  }

  /** Returns how often an edge is taken. */
  flow(edge) {
    return (edge.source.frequency || 0) * (edge.successor.probability || 0);
  }

  drawEdge(content, edge, most, center) {
    const strength = Math.log1p(this.flow(edge) * 1000) / Math.log1p(most * 1000);
    const percent = Math.round((edge.successor.probability || 0) * 1000) / 10;
    const path = Explore.svg(
      'path',
      {
        class: edge.isBack ? 'edge back' : 'edge',
        'stroke-width': 1 + 3 * strength,
        'marker-end': 'url(#arrow)',
        d: edge.isBack ? Explore.backPath(edge) : Explore.flowPath(edge.points),
      },
      Explore.svg('title', {}, `bb.${edge.source.number} to bb.${edge.target}: ${percent}%`)
    );
    content.append(path);
    if (edge.source.successors.length < 2 || edge.source.successors.length > 3) return;
    const [x, y] = edge.points[0];
    const bend = edge.isBack ? [Infinity] : edge.points.find((point) => Math.abs(point[0] - x) > 2);
    const isRight = bend ? bend[0] > x : x > center + 1;
    content.append(
      Explore.svg(
        'text',
        {class: 'edge-label', x: isRight ? x - 5 : x + 5, y: y + 11, 'text-anchor': isRight ? 'end' : 'start'},
        `${percent}%`
      )
    );
  }

  drawBlock({block, x, y, width, height}) {
    const color = Explore.highlight.colorOf(`block:${block.number}`);
    const counts = block.executed === undefined ? `frequency ${block.frequency}` : `${block.executed} instructions executed by threads`;
    return Explore.svg(
      'g',
      {class: 'block-node', 'data-block': block.number, tabindex: 0, onclick: () => this.choose(block)},
      Explore.svg('rect', {class: 'block-back', x, y, width, height, rx: 4}),
      Explore.svg('rect', {
        class: `block-heat heat-${this.color}`,
        x,
        y,
        width,
        height,
        rx: 4,
        'fill-opacity': (0.04 + 0.6 * this.heat(block) ** 2).toFixed(3),
      }),
      Explore.svg('rect', {
        class: color >= 0 ? `block-frame pick-line pick-${color}` : 'block-frame',
        x,
        y,
        width,
        height,
        rx: 4,
      }),
      Explore.svg('text', {class: 'block-title', x: x + width / 2, y: y + 16}, `bb.${block.number}`),
      Explore.svg('text', {class: 'block-facts', x: x + width / 2, y: y + 31}, this.facts(block, this.color)),
      Explore.svg('title', {}, `bb.${block.number}: ${this.facts(block, 'pressure')}, ${counts}`)
    );
  }

  choose(block) {
    for (const node of this.area.querySelectorAll('.block-node')) {
      node.classList.toggle('chosen', node.getAttribute('data-block') === String(block.number));
    }
    const lines = [];
    for (let line = block.first; line < block.end; ++line) lines.push(line);
    this.code.select(lines);
    this.code.element.scrollTop = block.first * Explore.ROW_HEIGHT;
  }

  zoom(scale) {
    this.scale = Math.min(3, Math.max(0.05, scale));
    this.picture.setAttribute('width', String(this.width * this.scale));
    this.picture.setAttribute('height', String(this.height * this.scale));
  }

  /** Chooses the scale at which the width fits, but never so small that texts cannot be read. */
  fit() {
    const share = Math.min(this.area.clientWidth / this.width, this.area.clientHeight / this.height);
    this.zoom(Math.min(1.2, Math.max(0.55, share, Math.min(1, this.area.clientWidth / this.width))));
    const entry = this.layout.blocks.find(({block}) => block === this.stage.graph.blocks[0]);
    this.area.scrollLeft = (entry.x + entry.width / 2) * this.scale - this.area.clientWidth / 2;
    this.area.scrollTop = 0;
  }
};
