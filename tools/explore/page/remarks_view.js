// SPDX-License-Identifier: Apache-2.0
//
// The view "Remarks": what passes said, the knobs that were set, the command line and the notes.

/** Remarks that are shown at once. */
Explore.REMARK_LIMIT = 500;

Explore.RemarksView = class {
  constructor(context) {
    this.context = context;
    this.limit = Explore.REMARK_LIMIT;
  }

  render(root) {
    const {kernel, state} = this.context;
    const all = (name) => [
      {value: '', label: 'all'},
      ...[...new Set(kernel.remarks.map((remark) => remark[name]))].sort().map((value) => ({value, label: value})),
    ];
    const filter = (name) => (value) => {
      this.context.setState({[name]: value});
      this.draw();
    };
    this.text = Explore.element('input', {
      type: 'search',
      value: state.text || '',
      placeholder: 'text',
      'aria-label': 'Text',
      oninput: () => filter('text')(this.text.value),
    });
    this.found = Explore.element('span', {class: 'quiet'});
    const bar = Explore.element(
      'div',
      {class: 'bar'},
      Explore.select('Pass', all('pass'), state.pass || '', filter('pass')),
      Explore.select('Kind', all('kind'), state.kind || '', filter('kind')),
      Explore.element('label', {class: 'field'}, 'Text ', this.text),
      this.found
    );
    this.area = Explore.element('div', {});
    root.append(
      Explore.element(
        'div',
        {class: 'column'},
        bar,
        Explore.element('div', {class: 'scroll padded'}, this.area, this.knobs(), this.commands(), this.notes())
      )
    );
    Explore.highlight.listen(this.area, () => this.draw());
    this.draw();
  }

  matching() {
    const {kernel, state} = this.context;
    const text = (state.text || '').toLowerCase();
    return kernel.remarks.filter(
      (remark) =>
        (!state.pass || remark.pass === state.pass) &&
        (!state.kind || remark.kind === state.kind) &&
        (!text || `${remark.name} ${remark.message} ${remark.place}`.toLowerCase().includes(text))
    );
  }

  draw() {
    const remarks = this.matching();
    const total = this.context.kernel.remarks.length;
    this.found.textContent = `${remarks.length} of ${Explore.count(total, 'remark')}`;
    if (remarks.length === 0) {
      this.area.replaceChildren(
        Explore.nothing(total === 0 ? 'No pass made a remark about this function.' : 'No remark has all of that.')
      );
      return;
    }
    const table = Explore.table(
      ['Kind', 'Pass', 'Name', 'Message', 'Registers', 'Place'],
      remarks.slice(0, this.limit).map((remark) => this.row(remark)),
      {class: 'remarks'}
    );
    this.area.replaceChildren(table);
    if (remarks.length > this.limit) {
      this.area.append(
        Explore.button(`Show ${remarks.length - this.limit} more`, () => {
          this.limit = remarks.length;
          this.draw();
        })
      );
    }
  }

  row(remark) {
    const registers = remark.registers || [];
    const toggle = () => {
      if (String(document.getSelection())) return;
      for (const register of registers) Explore.highlight.toggle(`mir:${register}`, null);
    };
    const chips = registers.map((register) => {
      const color = Explore.highlight.colorOf(`mir:${register}`);
      return Explore.element('code', {class: color >= 0 ? `pick pick-${color}` : 'register'}, `${register} `);
    });
    const cells = [
      Explore.element('span', {class: `kind kind-${remark.kind}`}, remark.kind),
      remark.pass,
      remark.name,
      remark.message,
      chips,
      Explore.element('span', {class: 'quiet'}, remark.place || ''),
    ];
    return Explore.element(
      'tr',
      {
        class: registers.length > 0 ? 'can-pick' : null,
        onclick: toggle,
        title: registers.length > 0 ? 'click to highlight the registers in all views' : null,
      },
      cells.map((cell) => Explore.element('td', {}, cell))
    );
  }

  knobs() {
    const {knobs} = this.context.model;
    return Explore.element(
      'section',
      {},
      Explore.element('h3', {}, 'Knobs that were set'),
      knobs.length === 0
        ? Explore.nothing('All knobs have their defaults.')
        : Explore.table(
            ['Knob', 'Value', 'Default'],
            knobs.map((knob) => [
              Explore.element('code', {}, knob.name),
              Explore.element('code', {}, String(knob.value)),
              Explore.element('code', {class: 'quiet'}, String(knob.default)),
            ])
          )
    );
  }

  commands() {
    const {model} = this.context;
    const commands = new Set([model.command, ...model.versions.map((version) => version.command)].filter(Boolean));
    return Explore.element(
      'section',
      {},
      Explore.element('h3', {}, 'Command line'),
      [...commands].map((command) => {
        const code = Explore.element('code', {class: 'command'}, command);
        const button = Explore.button('Copy', () => {
          Explore.copyText(code);
          button.textContent = 'Copied';
        });
        return Explore.element('p', {class: 'command-line'}, code, button);
      })
    );
  }

  notes() {
    const {notes} = this.context.model;
    if (notes.length === 0) return '';
    return Explore.element(
      'section',
      {},
      Explore.element('h3', {}, 'Notes'),
      Explore.element(
        'ul',
        {},
        notes.map((note) => Explore.element('li', {}, note))
      )
    );
  }
};

/** Copies the text of an element. It works where the clipboard of scripts is not allowed, too. */
Explore.copyText = function (node) {
  const selection = document.getSelection();
  selection.selectAllChildren(node);
  document.execCommand('copy');
  selection.removeAllRanges();
};
