// SPDX-License-Identifier: Apache-2.0
//
// Puts the page together: the head with its choosers, the tabs, the state in the address, and the keys.

/** The views, in the order of their tabs. */
Explore.VIEWS = [
  {id: 'pipeline', title: 'Pipeline', make: (context) => new Explore.PipelineView(context)},
  {id: 'pressure', title: 'Pressure', make: (context) => new Explore.PressureView(context)},
  {id: 'flow', title: 'Control flow', make: (context) => new Explore.FlowView(context)},
  {id: 'ranges', title: 'Live ranges', make: (context) => new Explore.RangesView(context)},
  {id: 'ptxas', title: 'ptxas', make: (context) => new Explore.PtxasView(context)},
  {id: 'schedule', title: 'Schedule', make: (context) => new Explore.ScheduleView(context)},
  {id: 'remarks', title: 'Remarks', make: (context) => new Explore.RemarksView(context)},
];

Explore.Page = class {
  constructor(model) {
    this.model = model;
    this.state = {};
    this.view = null;
    this.content = Explore.element('main', {});
    this.picks = Explore.element('div', {class: 'picks'});
    this.head = Explore.element('header', {class: 'page-head'});
    document.getElementById('page').append(this.head, this.content);
    document.title = `${model.title} \u2013 ${model.tool}`;
    Explore.highlight.listen(this.picks, () => this.drawPicks());
    window.addEventListener('hashchange', () => {
      if (location.hash.slice(1) !== this.address()) this.readState();
    });
    document.addEventListener('keydown', (event) => this.keyPressed(event));
    this.readState();
  }

  /** Reads the state from the address, and shows it. */
  readState() {
    this.state = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
    this.render();
  }

  address() {
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries(this.state)) {
      if (value) parameters.set(name, value);
    }
    return parameters.toString();
  }

  /** Changes the state without drawing anything; the address follows. */
  setState(changes) {
    Object.assign(this.state, changes);
    history.replaceState(null, '', `#${this.address()}`);
  }

  /** Changes the state, and draws the page again. */
  go(changes) {
    if (changes.function !== undefined) Explore.highlight.clear();
    this.setState(changes);
    this.render();
  }

  version() {
    return this.model.versions[Number(this.state.version) || 0] || this.model.versions[0] || null;
  }

  kernel() {
    const version = this.version();
    if (!version) return null;
    return version.kernelNamed(this.state.function) || version.kernels[0] || null;
  }

  chosenView() {
    return Explore.VIEWS.find((view) => view.id === this.state.view) || Explore.VIEWS[0];
  }

  render() {
    const kernel = this.kernel();
    this.drawHead(kernel);
    this.content.replaceChildren();
    this.view = null;
    if (!kernel) {
      this.content.append(Explore.nothing('There are no functions in this page.'));
      return;
    }
    this.view = this.chosenView().make({
      model: this.model,
      version: kernel.version,
      kernel,
      state: this.state,
      setState: (changes) => this.setState(changes),
      go: (changes) => this.go(changes),
    });
    this.view.render(this.content);
  }

  drawHead(kernel) {
    const versions = this.model.versions;
    const tabs = Explore.VIEWS.map((view) =>
      Explore.button(view.title, () => this.go({view: view.id}), {
        role: 'tab',
        'data-view': view.id,
        'aria-selected': String(view === this.chosenView()),
      })
    );
    const kernels = kernel ? kernel.version.kernels.map(({name}) => ({value: name, label: name || '(no name)'})) : [];
    this.head.replaceChildren(
      Explore.element(
        'div',
        {class: 'head-line'},
        Explore.element('h1', {title: this.model.command}, this.model.title),
        kernel
          ? Explore.select('Function', kernels, kernel.name, (name) => this.go({function: name, stage: '', other: ''}))
          : '',
        versions.length > 1
          ? Explore.select(
              'Version',
              versions.map(({label}, index) => ({value: index, label: `${index + 1}: ${label}`})),
              kernel ? kernel.version.index : 0,
              (index) => this.switchVersion(kernel, Number(index))
            )
          : '',
        kernel
          ? Explore.element(
              'span',
              {class: 'quiet', title: kernel.budget ? kernel.budget.text : null},
              Explore.kernelFacts(kernel)
            )
          : '',
        Explore.element(
          'span',
          {class: 'tool'},
          this.model.notes.length > 0
            ? Explore.button(Explore.count(this.model.notes.length, 'note'), () => this.go({view: 'remarks'}), {
                class: 'link',
                title: this.model.notes.join('\n'),
              })
            : null,
          Explore.element('span', {class: 'quiet'}, this.model.tool)
        )
      ),
      Explore.element(
        'div',
        {class: 'head-line'},
        Explore.element('div', {class: 'tabs', role: 'tablist'}, tabs),
        this.picks
      )
    );
    this.drawPicks();
  }

  /** Shows the other version of the function, at the same stage if it has that. */
  switchVersion(kernel, index) {
    const next = this.model.versions[index].kernelNamed(kernel.name);
    const stage = kernel.stages[Number(this.state.stage)];
    const same =
      this.state.stage && stage && next
        ? next.stages.find(({name, kind}) => name === stage.name && kind === stage.kind)
        : null;
    this.go({version: index, stage: same ? String(same.index) : '', other: ''});
  }

  drawPicks() {
    if (Explore.highlight.picks.length === 0) {
      this.picks.replaceChildren(
        Explore.element('span', {class: 'hint'}, 'Click a register, block or line of code to follow it; Esc clears.')
      );
      return;
    }
    this.picks.replaceChildren(
      ...Explore.highlight.picks.map((pick) =>
        Explore.button([Explore.element('span', {}, pick.label), ' \u00d7'], () => Explore.highlight.remove(pick.key), {
          class: `pick pick-${pick.color}`,
          title: 'remove this highlight',
        })
      )
    );
  }

  keyPressed(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === 'Escape') Explore.highlight.clear();
    const isTyping = event.target.closest('input:not([type=checkbox]), select');
    if (isTyping || !this.view) return;
    if (this.view.goToChange && (event.key === 'n' || event.key === 'p'))
      this.view.goToChange(event.key === 'n' ? 1 : -1);
    const isArrow = event.key === 'ArrowLeft' || event.key === 'ArrowRight';
    if (!isArrow || !this.view.move) return;
    event.preventDefault();
    this.view.move(event.key === 'ArrowLeft' ? -1 : 1);
  }
};

/** Returns a few words about a function. */
Explore.kernelFacts = function (kernel) {
  const facts = [kernel.isKernel ? 'kernel' : 'function', kernel.architecture];
  if (kernel.budget)
    facts.push(`${kernel.budget.is_hard ? 'hard ' : ''}budget of ${kernel.budget.registers} registers`);
  if (kernel.occupancy) {
    facts.push(`${kernel.occupancy.threads} threads per block${kernel.occupancy.is_assumed ? ' (assumed)' : ''}`);
  }
  return facts.filter(Boolean).join(' \u00b7 ');
};

/** Starts the page. */
Explore.start = function () {
  const text = document.getElementById('data').textContent;
  try {
    Explore.page = new Explore.Page(new Explore.Model(JSON.parse(text)));
  } catch (error) {
    document.getElementById('page').append(Explore.nothing(`The page cannot be shown: ${error.message}`));
    throw error;
  }
};

Explore.start();
