// SPDX-License-Identifier: Apache-2.0
//
// The view "ptxas": what ptxas made of the function, as a table and as bars.

/** The measures that are drawn: what a row has of them, and how it is written. */
Explore.PTXAS_MEASURES = [
  {name: 'Registers', value: (row) => row.registers, text: (row) => String(row.registers)},
  {name: 'Spilled bytes', value: (row) => row.spill_bytes, text: (row) => String(row.spill_bytes)},
  {name: 'Occupancy', value: (row) => row.occupancy, text: (row) => Explore.percent(row.occupancy), most: 1},
];

Explore.percent = function (share) {
  return Number.isFinite(share) ? `${Math.round(share * 1000) / 10}%` : '?';
};

Explore.PtxasView = class {
  constructor(context) {
    this.context = context;
  }

  render(root) {
    const area = Explore.element('div', {class: 'scroll padded'});
    root.append(area);
    const versions = this.context.model.versions;
    const rows = [];
    for (const version of versions) {
      const name = versions.length > 1 ? version.label : '';
      if (version.ptxasNote)
        area.append(Explore.element('p', {class: 'note'}, name ? `${name}: ` : '', version.ptxasNote));
      for (const row of version.ptxasRows) {
        if (row.function === this.context.kernel.name) rows.push({...row, version: name});
      }
    }
    if (rows.length === 0) {
      area.append(Explore.nothing('There are no results of ptxas for this function.'));
      return;
    }
    area.append(
      this.table(rows, versions.length > 1),
      Explore.element(
        'div',
        {class: 'ptxas-charts'},
        Explore.PTXAS_MEASURES.map((measure) => this.chart(measure, rows))
      )
    );
  }

  table(rows, hasVersions) {
    const heads = ['Compiled by', 'Registers', 'Spilled bytes', 'Occupancy', 'Options'];
    if (hasVersions) heads.unshift('Version');
    return Explore.table(
      heads,
      rows.map((row) => {
        const cells = [
          row.is_chosen ? Explore.element('strong', {}, row.label) : row.label,
          row.registers,
          row.spill_bytes,
          Explore.percent(row.occupancy),
          Explore.element('code', {}, row.options || ''),
        ];
        if (hasVersions) cells.unshift(row.version);
        return Explore.element(
          'tr',
          {class: row.is_chosen ? 'chosen' : null, title: row.is_chosen ? 'the code of this page' : null},
          cells.map((cell) => Explore.element('td', {}, cell instanceof Node ? cell : String(cell)))
        );
      }),
      {class: 'ptxas-table'}
    );
  }

  chart(measure, rows) {
    const most = measure.most || Math.max(1, ...rows.map(measure.value));
    const bars = rows.map((row) => {
      const bar = Explore.element('span', {class: row.is_chosen ? 'bar-fill chosen' : 'bar-fill'});
      bar.style.width = `${(100 * measure.value(row)) / most}%`;
      return Explore.element(
        'div',
        {class: 'bar-row'},
        Explore.element('span', {class: 'bar-name', title: `${row.version} ${row.label}`}, row.label),
        Explore.element('span', {class: 'bar-track'}, bar),
        Explore.element('span', {class: 'bar-value'}, measure.text(row))
      );
    });
    return Explore.element('section', {class: 'bar-chart'}, Explore.element('h3', {}, measure.name), bars);
  }
};
