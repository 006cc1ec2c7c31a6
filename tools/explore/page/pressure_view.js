// SPDX-License-Identifier: Apache-2.0
//
// The view "Pressure": the curve, the code beside it, and below what is live at the peak and the heat by source line.

/** Returns the stages to choose from, with their numbers and the most registers live. */
Explore.stageChoices = function (stages) {
  return stages.map((stage) => ({
    value: stage.index,
    label: `${stage.index}: ${stage.name}` + (stage.maxLive === null ? '' : ` (${stage.maxLive})`),
  }));
};

Explore.PressureView = class {
  constructor(context) {
    this.context = context;
    this.stages = context.kernel.machineStages().filter((stage) => stage.pressure.length > 0 && !stage.isCut);
    this.stage = this.chosen('stage') || this.stages[this.stages.length - 1] || null;
    const other = context.state.other;
    this.other = other === 'none' ? null : this.chosen('other') || this.defaultOther();
  }

  chosen(name) {
    const value = this.context.state[name];
    return value ? this.stages.find((stage) => String(stage.index) === value) || null : null;
  }

  /** Returns the first stage of machine code: "input" if that is what the tool read. */
  defaultOther() {
    return this.stages.find((stage) => stage.name === 'input') || this.stages[0] || null;
  }

  /** Returns the stage of the other version to compare with: of the same name, else the last. */
  stageOfOtherVersion() {
    const kernel = this.context.model.counterpart(this.context.kernel);
    const stages = kernel ? kernel.machineStages().filter((stage) => stage.pressure.length > 0) : [];
    return stages.filter((stage) => stage.name === this.stage.name).pop() || stages[stages.length - 1] || null;
  }

  render(root) {
    if (!this.stage) {
      root.append(Explore.nothing('There is no stage of machine code with register pressure.'));
      return;
    }
    const ofVersion = this.stageOfOtherVersion();
    const others = [this.other === this.stage ? null : this.other, ofVersion];
    this.code = new Explore.CodeView(this.stage, {onPick: (line) => this.showLine(line)});
    this.status = Explore.element('div', {class: 'status'});
    this.chart = new Explore.PressureChart({
      stage: this.stage,
      others,
      onHover: (line) => this.showLine(line),
      onPick: (line) => this.jump(line),
      onPeak: () => this.showPeak(),
    });
    const choices = Explore.stageChoices(this.stages);
    const bar = Explore.element(
      'div',
      {class: 'bar'},
      Explore.select('Stage', choices, this.stage.index, (index) => this.context.go({stage: index})),
      Explore.select(
        'compare with',
        [{value: 'none', label: 'nothing'}, ...choices],
        this.other ? this.other.index : 'none',
        (index) => this.context.go({other: index})
      ),
      Explore.pressureLegend(this.stage, others)
    );
    this.below = Explore.element('div', {class: 'scroll'});
    this.tab = this.context.state.below === 'heat' ? 'heat' : 'peak';
    this.choice = Explore.choice(
      'Below',
      [
        {value: 'peak', label: 'Live at the peak'},
        {value: 'heat', label: 'Heat by source line'},
      ],
      this.tab,
      (tab) => this.showBelow(tab)
    );
    const left = Explore.element(
      'div',
      {class: 'column'},
      bar,
      this.chart.element,
      this.status,
      Explore.element('div', {class: 'bar'}, this.choice),
      this.below
    );
    const right = Explore.element('section', {class: 'pane'}, Explore.stageHead(this.stage), this.code.element);
    root.append(Explore.split(left, right, 0.58));
    this.showBelow(this.tab);
    this.showLine(
      this.stage.peak && this.stage.peak.line >= 0 ? this.stage.peak.line : this.stage.instructionLines()[0]
    );
    requestAnimationFrame(() => {
      if (this.stage.peak) this.code.select(this.stage.peak.line >= 0 ? [this.stage.peak.line] : []);
    });
  }

  /** Moves to a stage before or after. */
  move(step) {
    const next = this.stages[this.stages.indexOf(this.stage) + step];
    if (next) this.context.go({stage: String(next.index)});
  }

  showLine(line) {
    if (line === undefined || line < 0) return;
    const block = this.stage.blockAt(line);
    const place = this.stage.placeAt(line);
    this.status.replaceChildren(
      Explore.element('strong', {}, `${Math.max(0, this.stage.pressureAt(line))} live`),
      ` line ${line + 1}${block ? `, bb.${block.number}` : ''}${place ? `, ${place.text}` : ''}  `,
      Explore.element('code', {}, this.stage.text(line).trim())
    );
    this.chart.point(line);
  }

  jump(line) {
    if (line === undefined) return;
    this.code.select([line]);
    this.showLine(line);
  }

  showPeak() {
    this.jump(this.stage.peak.line);
    this.choice.querySelector('[data-value=peak]').click();
  }

  showBelow(tab) {
    this.tab = tab;
    this.context.setState({below: tab === 'peak' ? '' : tab});
    this.below.replaceChildren(
      tab === 'peak'
        ? Explore.peakTable(this.stage, (line) => this.jump(line))
        : Explore.heatTable(this.stage, (lines) => this.code.select(lines))
    );
  }
};

/** Returns the legend of the curves. */
Explore.pressureLegend = function (stage, others) {
  const entry = (style, text) =>
    Explore.element(
      'span',
      {class: 'legend'},
      Explore.svg('svg', {width: 22, height: 10}, Explore.svg('path', {class: style, d: 'M0 5H22'})),
      ` ${text}`
    );
  const entries = [entry('curve', stage.name)];
  if (others[0]) entries.push(entry('curve other-0', others[0].name));
  if (others[1]) entries.push(entry('curve other-1', `${others[1].kernel.version.label}: ${others[1].name}`));
  const isScaled = others.some(Boolean) ? ' Curves have the same width whatever their length.' : '';
  return Explore.element(
    'span',
    {class: 'legends', title: `The most registers live at each instruction.${isScaled}`},
    entries
  );
};
