// SPDX-License-Identifier: Apache-2.0
//
// The view "Pipeline": what each pass changed, before and after side by side, or all stages in columns.

/** Lines shown around a change if only changes are shown. */
Explore.DIFF_CONTEXT = 4;

Explore.PipelineView = class {
  constructor(context) {
    this.context = context;
    this.kernel = context.kernel;
    this.stage = this.initialStage();
    this.content = Explore.element('div', {class: 'pipeline-content'});
  }

  initialStage() {
    const stages = this.kernel.stages;
    const wanted = Number(this.context.state.stage);
    if (this.context.state.stage && stages[wanted]) return stages[wanted];
    const isChange = (stage) => stage.kind === 'mir' && stage.index > 0 && stages[stage.index - 1].kind === 'mir';
    return stages.find(isChange) || stages.find((stage) => stage.kind === 'mir') || stages[0];
  }

  modes() {
    const modes = [
      {value: 'pair', label: 'Before and after'},
      {value: 'all', label: 'All stages'},
    ];
    if (this.context.model.counterpart(this.kernel)) modes.push({value: 'versions', label: 'Both versions'});
    return modes;
  }

  render(root) {
    if (!this.stage) {
      root.append(Explore.nothing('There are no stages of this function.'));
      return;
    }
    const state = this.context.state;
    this.strip = Explore.pipelineStrip(this.kernel, this.stage.index, (index) => this.select(index));
    this.onlyChanges = Explore.element('input', {
      type: 'checkbox',
      checked: state.changes === '1',
      onchange: () => {
        this.context.setState({changes: this.onlyChanges.checked ? '1' : ''});
        this.show();
      },
    });
    this.pairTools = Explore.element(
      'span',
      {class: 'field'},
      Explore.button('\u2191', () => this.goToChange(-1), {title: 'change before (key p)'}),
      ' ',
      Explore.button('\u2193', () => this.goToChange(1), {title: 'next change (key n)'}),
      Explore.element('label', {class: 'field'}, this.onlyChanges, ' only changes, with context')
    );
    this.summary = Explore.element('span', {class: 'summary'});
    const bar = Explore.element(
      'div',
      {class: 'bar'},
      Explore.choice('Mode', this.modes(), this.mode(), (mode) => {
        this.context.setState({mode: mode === 'pair' ? '' : mode});
        this.show();
      }),
      this.pairTools,
      this.summary
    );
    const right = Explore.element('div', {class: 'column'}, bar, this.content);
    root.append(Explore.element('div', {class: 'pipeline'}, this.strip, right));
    this.show();
    Explore.markStage(this.strip, this.stage.index);
  }

  mode() {
    const mode = this.context.state.mode;
    return this.modes().some(({value}) => value === mode) ? mode : 'pair';
  }

  select(index) {
    this.stage = this.kernel.stages[index];
    this.context.setState({stage: String(index)});
    Explore.markStage(this.strip, index);
    if (this.mode() === 'all' && this.columns) {
      this.columns.reveal(index);
    } else {
      this.show();
    }
  }

  /** Moves by that many stages. */
  move(step) {
    const index = this.stage ? this.stage.index + step : -1;
    if (this.kernel.stages[index]) this.select(index);
  }

  show() {
    this.columns = null;
    this.changes = null;
    const mode = this.mode();
    this.pairTools.hidden = mode === 'all';
    if (mode === 'all') {
      this.summary.textContent = 'All stages side by side';
      this.columns = new Explore.StageColumns(this.kernel);
      this.content.replaceChildren(this.columns.element);
      this.columns.reveal(this.stage.index);
      return;
    }
    const before = mode === 'versions' ? this.sameStageOfOtherVersion() : Explore.stageBefore(this.stage);
    this.content.replaceChildren(this.pair(before, this.stage));
  }

  /** Scrolls to the next change (1), or to the one before (-1). */
  goToChange(step) {
    if (!this.changes) return;
    const {pane, tops} = this.changes;
    const next = step > 0 ? tops.find((top) => top > pane.scrollTop) : tops.filter((top) => top < pane.scrollTop).pop();
    if (next !== undefined) pane.scrollTop = next;
  }

  sameStageOfOtherVersion() {
    const other = this.context.model.counterpart(this.kernel);
    const alike = other.stages.filter((stage) => stage.kind === this.stage.kind && stage.name === this.stage.name);
    const nth = this.kernel.stages.filter(
      (stage) => stage.index < this.stage.index && stage.kind === this.stage.kind && stage.name === this.stage.name
    ).length;
    return alike[nth] || alike[alike.length - 1] || null;
  }

  pair(before, after) {
    if (!before) {
      this.summary.textContent =
        this.mode() === 'versions' ? 'The other version has no such stage.' : after.description;
      return this.pane(after, Explore.plainRows(after)).element;
    }
    if (before.kind !== after.kind || before.isCut || after.isCut) {
      this.summary.textContent = after.description;
      return Explore.split(
        this.pane(before, Explore.plainRows(before)).element,
        this.pane(after, Explore.plainRows(after)).element,
        0.5
      );
    }
    let rows = Explore.align(before, after);
    const count = (kind) => rows.filter((row) => row.kind === kind).length;
    const hasChanges = rows.some((row) => row.kind !== 'same');
    const removed = Explore.count(count('removed'), 'line');
    const numbers = `${removed} removed, ${count('added')} added, ${count('changed')} changed`;
    const result = hasChanges ? numbers : 'the same code';
    this.summary.textContent = `${after.description || after.name}: ${result}`;
    if (this.onlyChanges.checked && hasChanges) rows = Explore.onlyChanges(rows, Explore.DIFF_CONTEXT);
    const left = this.pane(before, Explore.sideRows(rows, 'before', 'after', before, after));
    const right = this.pane(after, Explore.sideRows(rows, 'after', 'before', after, before));
    Explore.scrollTogether(left.view.element, right.view.element);
    const tops = Explore.changeStarts(rows).map((row) => Math.max(0, row - Explore.DIFF_CONTEXT) * Explore.ROW_HEIGHT);
    const pane = left.view.element;
    this.changes = {pane, tops};
    requestAnimationFrame(() => {
      pane.scrollTop = tops.length > 0 ? tops[0] : 0;
    });
    return Explore.split(left.element, right.element, 0.5);
  }

  pane(stage, rows) {
    const view = new Explore.CodeView(stage, {rows});
    return {view, element: Explore.element('section', {class: 'pane'}, Explore.stageHead(stage), view.element)};
  }
};

/** Returns the head of a pane with the code of a stage. */
Explore.stageHead = function (stage, ...more) {
  const version = stage.kernel.version;
  const predicates = stage.maxPredicates ? `, ${Explore.count(stage.maxPredicates, 'predicate')}` : '';
  const live = stage.maxLive === null ? '' : `, ${stage.maxLive} live${predicates}`;
  return Explore.element(
    'header',
    {class: 'pane-head'},
    Explore.element('span', {class: `kind kind-${stage.kind}`}, Explore.STAGE_KINDS[stage.kind] || stage.kind),
    Explore.element('strong', {title: stage.description}, stage.name),
    version.model.versions.length > 1 ? Explore.element('span', {class: 'quiet'}, version.label) : null,
    Explore.element('span', {class: 'quiet'}, `${stage.instructions} ${stage.kind === 'dag' ? 'nodes' : 'instr'}${live}`),
    more
  );
};

/** All stages as columns side by side. A column gets its code when it can be seen. */
Explore.StageColumns = class {
  constructor(kernel) {
    this.element = Explore.element('div', {class: 'columns'});
    this.observer = new IntersectionObserver(
      (entries) => {
        for (const {target, isIntersecting} of entries) {
          if (isIntersecting) this.fill(target);
        }
      },
      {root: this.element, rootMargin: '0px 300px'}
    );
    this.stages = kernel.stages;
    this.columns = kernel.stages.map((stage) => this.column(stage));
    this.element.append(...this.columns);
  }

  column(stage) {
    const column = Explore.element('section', {class: 'pane stage-column', 'data-column': stage.index});
    const fold = Explore.button(
      '\u2013',
      () => {
        column.classList.toggle('folded');
        fold.textContent = column.classList.contains('folded') ? '+' : '\u2013';
      },
      {class: 'fold', title: 'fold or open this column'}
    );
    column.append(Explore.stageHead(stage, fold));
    this.observer.observe(column);
    return column;
  }

  fill(column) {
    if (column.hasAttribute('data-filled')) return;
    column.setAttribute('data-filled', '');
    const stage = this.stages[Number(column.getAttribute('data-column'))];
    const before = Explore.stageBefore(stage);
    let rows = Explore.plainRows(stage);
    if (before && before.kind === stage.kind) {
      rows = Explore.sideRows(
        Explore.align(before, stage).filter((row) => row.after >= 0),
        'after',
        'before',
        stage,
        before
      );
    }
    const view = new Explore.CodeView(stage, {rows, follows: true});
    column.append(view.element);
    const last = Explore.highlight.picks[Explore.highlight.picks.length - 1];
    if (last) requestAnimationFrame(() => view.follow(last));
  }

  reveal(index) {
    const column = this.columns[index];
    if (!column) return;
    for (const other of this.columns) other.classList.toggle('current', other === column);
    requestAnimationFrame(() => {
      this.element.scrollLeft = column.offsetLeft - this.element.offsetLeft - 40;
    });
  }
};
