// SPDX-License-Identifier: Apache-2.0
//
// The list of the registers that are live at a stage's peak.

/** The orders that the list can have. */
Explore.PEAK_ORDERS = {
  Register: (a, b) => a.register.localeCompare(b.register, 'en', {numeric: true}),
  Class: (a, b) => a.class.localeCompare(b.class, 'en', {numeric: true}),
  Units: (a, b) => b.units - a.units,
  Definition: (a, b) => a.first - b.first,
  'Last use': (a, b) => b.last - a.last,
  Remedy: (a, b) => (a.remedy || '').localeCompare(b.remedy || ''),
};

/** Returns the list; "jump" is called with a line. */
Explore.peakTable = function (stage, jump) {
  const peak = stage.peak;
  if (!peak || !peak.live || peak.live.length === 0) return Explore.nothing('No registers are live in this stage.');
  const units = peak.live.reduce((sum, live) => sum + live.units, 0);
  const area = Explore.element('div', {});
  const show = (order) => {
    const sorted = order ? [...peak.live].sort(Explore.PEAK_ORDERS[order]) : peak.live;
    const heads = Object.keys(Explore.PEAK_ORDERS).map((name) =>
      Explore.button(name, () => show(name), {
        class: name === order ? 'head chosen' : 'head',
        title: `sort by ${name.toLowerCase()}`,
      })
    );
    const rows = sorted.map((live) => Explore.peakRow(stage, live, jump));
    area.replaceChildren(Explore.table(heads, rows, {class: 'peak-table'}));
  };
  show('');
  return Explore.element(
    'div',
    {},
    Explore.element(
      'p',
      {},
      `${Explore.count(peak.live.length, 'register')} in ${Explore.count(units, 'unit')} of 32 bits ` +
        `live at line ${peak.line + 1}, in bb.${peak.block}:`
    ),
    area
  );
};

/** Returns the cells of one register. */
Explore.peakRow = function (stage, live, jump) {
  const link = (line, text) =>
    line >= 0 ? Explore.button(text, () => jump(line), {class: 'link', title: `line ${line + 1}`}) : text;
  const definition = live.first >= 0 ? stage.text(live.first).trim() : '';
  const remarks = stage.kernel
    .missedRemarks(live.register)
    .map((remark) =>
      Explore.element(
        'div',
        {class: 'remark'},
        Explore.element('span', {class: 'kind kind-Missed'}, remark.pass),
        ` ${remark.message}`
      )
    );
  return [
    Explore.registerButton('mir', live.register),
    live.class,
    String(live.units),
    link(live.first, Explore.element('code', {title: definition}, definition)),
    link(live.last, live.last >= 0 ? `line ${live.last + 1}` : 'none'),
    [live.remedy || '', ...remarks],
  ];
};

/** Returns a button that highlights a register everywhere. */
Explore.registerButton = function (kind, register) {
  const key = `${kind}:${register}`;
  const button = Explore.button(register, () => Explore.highlight.toggle(key, null), {class: 'link register'});
  const color = () => {
    const chosen = Explore.highlight.colorOf(key);
    button.className = chosen >= 0 ? `link register pick pick-${chosen}` : 'link register';
  };
  color();
  Explore.highlight.listen(button, color);
  return button;
};
