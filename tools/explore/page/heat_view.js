// SPDX-License-Identifier: Apache-2.0
//
// Heat by source line: the most registers live at the instructions of each line of the source.

/** Returns the lines of the source with the most registers live: {name, file, line, most, lines}, sorted. */
Explore.sourceHeat = function (stage) {
  const heat = new Map();
  for (let line = 0; line < stage.code.length; ++line) {
    const place = stage.placeAt(line);
    const value = stage.pressureAt(line);
    if (!place || value < 0) continue;
    const key = `${place.file}:${place.name}:${place.line}`;
    let entry = heat.get(key);
    if (!entry) heat.set(key, (entry = {name: place.name, file: place.file, line: place.line, most: 0, lines: []}));
    entry.most = Math.max(entry.most, value);
    entry.lines.push(line);
  }
  return [...heat.values()].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.line - b.line));
};

/** Returns the list of source lines; "select" is called with the lines of code of the one clicked. */
Explore.heatTable = function (stage, select) {
  const entries = Explore.sourceHeat(stage);
  if (entries.length === 0) {
    return Explore.nothing(
      'No instruction of this stage has a source line. Compile with -lineinfo or -g to see them here.'
    );
  }
  const sources = stage.kernel.version.model.sources;
  const list = Explore.element('div', {class: 'heat'});
  let previous = null;
  for (const entry of entries) {
    if (!previous || previous.name !== entry.name) {
      const isFound = entries.some((other) => other.name === entry.name && sources[other.file]);
      list.append(Explore.element('h3', {}, entry.name + (isFound ? '' : ' (source not found)')));
      previous = null;
    }
    if (previous) Explore.heatGap(list, sources[entry.file], previous.line, entry.line);
    list.append(
      Explore.heatRow(stage, entry, sources[entry.file], () => {
        for (const row of list.querySelectorAll('.chosen')) row.classList.remove('chosen');
        select(entry.lines);
      })
    );
    previous = entry;
  }
  return list;
};

/** Shows a few lines between two with instructions, or that there are more. */
Explore.heatGap = function (list, source, from, to) {
  const hidden = to - from - 1;
  if (hidden > 3 || !source) {
    if (hidden > 0) list.append(Explore.element('div', {class: 'heat-row cold'}, '\u22ee'));
    return;
  }
  for (let line = from + 1; line < to; ++line) {
    list.append(
      Explore.element(
        'div',
        {class: 'heat-row cold'},
        Explore.element('span', {class: 'heat-number'}, String(line)),
        Explore.element('span', {class: 'heat-bar'}),
        Explore.element('code', {}, source.lines[line - 1] || '')
      )
    );
  }
};

Explore.heatRow = function (stage, entry, source, onClick) {
  const share = stage.maxLive > 0 ? Math.min(1, entry.most / stage.maxLive) : 0;
  const bar = Explore.element(
    'span',
    {class: 'heat-bar'},
    Explore.element('span', {class: 'heat-fill'}),
    Explore.element('span', {class: 'heat-value'}, String(entry.most))
  );
  bar.style.setProperty('--share', String(share));
  const text = source && source.lines[entry.line - 1];
  const row = Explore.button(
    [
      Explore.element('span', {class: 'heat-number'}, String(entry.line)),
      bar,
      text === undefined || text === null || source === undefined
        ? Explore.element('span', {class: 'quiet'}, Explore.count(entry.lines.length, 'instruction'))
        : Explore.element('code', {}, text),
    ],
    () => {
      onClick();
      row.classList.add('chosen');
    },
    {
      class: 'heat-row',
      title:
        `${entry.name}:${entry.line}: ${Explore.count(entry.lines.length, 'instruction')}, ` +
        `at most ${entry.most} registers live`,
    }
  );
  return row;
};
