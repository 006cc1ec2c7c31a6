// SPDX-License-Identifier: Apache-2.0
//
// The view "Schedule": modulo schedules as reservation tables, and what the list schedulers moved.

/** Returns an instruction shortened to its results and its operation. */
Explore.shortInstruction = function (text) {
  const body = text.split(' :: ')[0].trim();
  const end = body.indexOf(' = ');
  if (end < 0) return body.split(' ').slice(0, 2).join(' ');
  const results = body.slice(0, end).replace(/:b\d+/g, '');
  const operation =
    body
      .slice(end + 3)
      .split(' ')
      .find((word) => !/^[a-z]{1,9}$/.test(word)) || '';
  return `${results} = ${operation}`;
};

Explore.ScheduleView = class {
  constructor(context) {
    this.context = context;
    this.schedules = context.kernel.schedules;
    this.moves = Explore.reorderings(context.kernel);
    this.columns = 'stages';
    this.recurrence = -1;
  }

  choices() {
    return [
      ...this.schedules.map((schedule, index) => ({
        value: `s${index}`,
        label: `${schedule.pass}, bb.${schedule.block}`,
      })),
      ...this.moves.map(({stage}) => ({value: `m${stage.index}`, label: `${stage.name} (stage ${stage.index})`})),
    ];
  }

  render(root) {
    const choices = this.choices();
    if (choices.length === 0) {
      root.append(Explore.nothing('No scheduler ran on this function, or none changed its code.'));
      return;
    }
    const wanted = this.context.state.schedule;
    const chosen = choices.some(({value}) => value === wanted) ? wanted : choices[0].value;
    const bar = Explore.element(
      'div',
      {class: 'bar'},
      Explore.select('Schedule', choices, chosen, (value) => this.context.go({schedule: value}))
    );
    const index = Number(chosen.slice(1));
    if (chosen[0] === 'm') {
      const reordering = this.moves.find(({stage}) => stage.index === index);
      const view = new Explore.ReorderView(reordering);
      root.append(Explore.element('div', {class: 'column'}, bar, view.element));
      view.addChoices(bar);
      return;
    }
    this.schedule = this.schedules[index];
    this.area = Explore.element('div', {class: 'scroll padded'});
    bar.append(
      Explore.choice(
        'Columns',
        [
          {value: 'stages', label: 'By stage'},
          {value: 'resources', label: 'By resource'},
        ],
        this.columns,
        (columns) => {
          this.columns = columns;
          this.draw();
        }
      )
    );
    root.append(Explore.element('div', {class: 'column'}, bar, this.area));
    this.draw();
  }

  draw() {
    const schedule = this.schedule;
    const fact = (name, value, title) =>
      Explore.element(
        'div',
        {class: 'fact', title},
        Explore.element('span', {class: 'fact-value'}, String(value)),
        Explore.element('span', {class: 'quiet'}, name)
      );
    const facts = Explore.element(
      'div',
      {class: 'facts'},
      fact('II', schedule.ii, 'cycles from the start of an iteration to the start of the next'),
      fact('MII', schedule.mii, 'the least II that is possible'),
      fact('RecMII', schedule.rec_mii, 'the least II that recurrences allow'),
      fact('ResMII', schedule.res_mii, 'the least II that resources allow'),
      fact('stages', schedule.stages, 'iterations that overlap'),
      fact(
        'registers',
        `${schedule.registers_before} \u2192 ${schedule.registers_after}`,
        'most registers live before and after'
      )
    );
    const parts = [facts];
    if (schedule.instructions.length === 0 || schedule.ii < 1) {
      parts.push(Explore.nothing('The schedule has no instructions.'));
    } else {
      parts.push(
        Explore.element('h3', {}, 'Modulo reservation table'),
        this.table(),
        Explore.element('div', {class: 'side-by-side'}, this.recurrences(), this.resources())
      );
    }
    this.area.replaceChildren(...parts);
  }

  table() {
    const schedule = this.schedule;
    const names =
      this.columns === 'stages'
        ? Array.from({length: schedule.stages}, (_, stage) => `stage ${stage}`)
        : [...new Set(schedule.instructions.map((instruction) => instruction.resource))];
    const columnOf = (instruction) =>
      this.columns === 'stages' ? instruction.stage : names.indexOf(instruction.resource);
    const marked = new Set(schedule.recurrences[this.recurrence] || []);
    const cells = Array.from({length: schedule.ii}, () => names.map(() => []));
    schedule.instructions.forEach((instruction, index) => {
      const cell = cells[instruction.row] && cells[instruction.row][columnOf(instruction)];
      if (cell) cell.push(this.instruction(instruction, marked.has(index)));
    });
    return Explore.table(
      ['cycle', ...names],
      cells.map((row, cycle) => [String(cycle), ...row.map((list) => Explore.element('div', {}, list))]),
      {class: marked.size > 0 ? 'reservation has-marks' : 'reservation'}
    );
  }

  instruction(instruction, isMarked) {
    const style = `op stage-${instruction.stage % 6}${isMarked ? ' marked' : ''}`;
    return Explore.element(
      'code',
      {
        class: style,
        title:
          `${instruction.text}\ncycle ${instruction.cycle}, ` + `stage ${instruction.stage}, ${instruction.resource}`,
      },
      Explore.shortInstruction(instruction.text)
    );
  }

  recurrences() {
    const schedule = this.schedule;
    const list = schedule.recurrences.map((members, index) =>
      Explore.button(
        [
          `${Explore.count(members.length, 'instruction')}: `,
          Explore.element(
            'code',
            {},
            members
              .map((member) => Explore.shortInstruction((schedule.instructions[member] || {text: '?'}).text))
              .join(' \u2192 ')
          ),
        ],
        () => {
          this.recurrence = this.recurrence === index ? -1 : index;
          this.draw();
        },
        {class: 'link recurrence', 'aria-pressed': String(index === this.recurrence)}
      )
    );
    return Explore.element(
      'section',
      {},
      Explore.element('h3', {}, 'Recurrences'),
      list.length > 0 ? list : Explore.nothing('The loop has no recurrences.')
    );
  }

  resources() {
    const {resources, ii} = this.schedule;
    return Explore.element(
      'section',
      {class: 'bar-chart'},
      Explore.element('h3', {}, 'Resources per iteration'),
      resources.map(({name, cycles}) => {
        const fill = Explore.element('span', {class: cycles >= ii ? 'bar-fill full' : 'bar-fill'});
        fill.style.width = `${Math.min(100, (100 * cycles) / ii)}%`;
        return Explore.element(
          'div',
          {class: 'bar-row'},
          Explore.element('span', {class: 'bar-name'}, name),
          Explore.element('span', {class: 'bar-track'}, fill),
          Explore.element('span', {class: 'bar-value'}, `${cycles} of ${ii} cycles`)
        );
      })
    );
  }
};
