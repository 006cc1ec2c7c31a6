// SPDX-License-Identifier: Apache-2.0
//
// Makes elements. Texts of the data only ever become text nodes and attribute values.

/** Returns a new element: attributes by name ("on…" are listeners), then children (nodes or texts). */
Explore.element = function (tag, attributes, ...children) {
  return Explore.fillElement(document.createElement(tag), attributes, children);
};

/** Returns a new SVG element. */
Explore.svg = function (tag, attributes, ...children) {
  return Explore.fillElement(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);
};

Explore.fillElement = function (node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === 'function') {
      node.addEventListener(name.slice(2), value);
    } else {
      node.setAttribute(name, value === true ? '' : String(value));
    }
  }
  for (const child of children.flat()) {
    if (child !== null && child !== undefined) node.append(child);
  }
  return node;
};

/** Returns a button. */
Explore.button = function (label, onClick, attributes) {
  return Explore.element('button', {type: 'button', onclick: onClick, ...attributes}, label);
};

/** Returns a group of buttons of which one is pressed: choices are {value, label}. */
Explore.choice = function (name, choices, chosen, onChoose) {
  const group = Explore.element('span', {class: 'choice', role: 'group', 'aria-label': name});
  for (const {value, label} of choices) {
    const button = Explore.button(
      label,
      () => {
        for (const other of group.children) other.setAttribute('aria-pressed', String(other === button));
        onChoose(value);
      },
      {'aria-pressed': String(value === chosen), 'data-value': value}
    );
    group.append(button);
  }
  return group;
};

/** Returns a labelled list to choose from: choices are {value, label}. */
Explore.select = function (name, choices, chosen, onChoose) {
  const list = Explore.element('select', {'aria-label': name, onchange: () => onChoose(list.value)});
  for (const {value, label} of choices) {
    list.append(Explore.element('option', {value, selected: String(value) === String(chosen)}, label));
  }
  return Explore.element('label', {class: 'field'}, `${name} `, list);
};

/** Returns a table: heads are texts, rows are lists of cells (nodes or texts). */
Explore.table = function (heads, rows, attributes) {
  const body = Explore.element(
    'tbody',
    {},
    rows.map((cells) =>
      cells instanceof Node
        ? cells
        : Explore.element(
            'tr',
            {},
            cells.map((cell) => Explore.element('td', {}, cell))
          )
    )
  );
  return Explore.element(
    'table',
    attributes || {},
    Explore.element(
      'thead',
      {},
      Explore.element(
        'tr',
        {},
        heads.map((head) => Explore.element('th', {}, head))
      )
    ),
    body
  );
};

/** Returns a sentence for where there is nothing to show. */
Explore.nothing = function (text) {
  return Explore.element('p', {class: 'nothing'}, text);
};

/** Returns a number with a sign, "+3" or "−2". */
Explore.signed = function (value) {
  return value < 0 ? `\u2212${-value}` : `+${value}`;
};

/** Returns "1 block", "2 blocks". */
Explore.count = function (number, noun) {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
};

/** Returns a number in few characters: 950, 12.3k, 4M. */
Explore.shortNumber = function (value) {
  for (const [unit, name] of [
    [1e9, 'G'],
    [1e6, 'M'],
    [1e3, 'k'],
  ]) {
    if (value >= unit) return `${Number((value / unit).toPrecision(3))}${name}`;
  }
  return String(Number(value.toPrecision(3)));
};

/** Returns two panes side by side with a bar between them that can be dragged. */
Explore.split = function (left, right, share) {
  const bar = Explore.element('div', {class: 'split-bar'});
  const whole = Explore.element('div', {class: 'split'}, left, bar, right);
  left.style.flex = `0 0 ${share * 100}%`;
  right.style.flex = '1 1 0';
  bar.addEventListener('pointerdown', (event) => {
    bar.setPointerCapture(event.pointerId);
    const area = whole.getBoundingClientRect();
    const move = (moved) => {
      const part = (moved.clientX - area.left) / area.width;
      left.style.flex = `0 0 ${Math.min(0.9, Math.max(0.1, part)) * 100}%`;
    };
    bar.addEventListener('pointermove', move);
    bar.addEventListener('pointerup', () => bar.removeEventListener('pointermove', move), {once: true});
  });
  return whole;
};
