// SPDX-License-Identifier: Apache-2.0
//
// Cuts lines of code into tokens. A token that can be picked has a key that is the same wherever it names the same
// thing: "mir:%12", "ptx:%r12", "ir:%7", "dag:t3", "block:3".

/** Flags of machine code, which matter less than what they stand beside. */
Explore.QUIET_WORDS =
  'killed dead undef renamable nsw nuw nnan ninf nsz arcp contract afn reassoc exact disjoint samesign nneg'.split(' ');

/** What is recognized in each kind of code. */
Explore.TOKEN_PATTERNS = {
  ir: /(?<register>%(?:"[^"]*"|[\w.$-]+))|(?<label>^(?:"[^"]*"|[\w.$-]+)(?=:))|(?<quiet>;.*|![\w.]+)/g,
  dag: /(?<block>%?bb\.\d+)|(?<machine>%\d+)|(?<register>\bt\d+\b)|(?<quiet><[^>]*>)/g,
  mir: new RegExp(
    [
      '(?<block>%?\\bbb\\.\\d+|%bb\\.\\d+)',
      '(?<plain>%(?:ir|stack|fixed-stack|const|jump-table|subreg|ir-block)\\.[\\w.]+|&[\\w.$]+|@[\\w.$]+)',
      '(?<register>%\\d+|%[A-Za-z_][\\w.]*|\\$[A-Za-z_]\\w*)',
      `(?<quiet>::.*|\\b(?:${Explore.QUIET_WORDS.join('|')})\\b|debug-location.*|;(?!.*bb\\.).*|:b\\d+)`,
    ].join('|'),
    'g'
  ),
  ptx: /(?<block>\$L__BB\d+_\d+|%bb\.\d+)|(?<register>%[A-Za-z_]\w*(?:\.[xyzw]\b)?)|(?<quiet>\/\/(?:(?!%bb\.).)*)/g,
};

/** Returns the tokens of a line: {text, style, key}; the key is empty where nothing can be picked. */
Explore.tokens = function (kind, line) {
  const result = [];
  const pattern = Explore.TOKEN_PATTERNS[kind];
  if (!pattern || line.length > 4000) return [{text: line, style: '', key: ''}];
  let end = 0;
  for (const match of line.matchAll(pattern)) {
    if (match.index > end) result.push({text: line.slice(end, match.index), style: '', key: ''});
    const groups = match.groups;
    const text = match[0];
    let style = 'quiet';
    let key = '';
    if (groups.register !== undefined) {
      style = 'register';
      key = `${kind}:${text}`;
    } else if (groups.machine !== undefined) {
      style = 'register';
      key = `mir:${text}`;
    } else if (groups.block !== undefined) {
      style = 'block';
      key = `block:${text.match(/\d+$/)[0]}`;
    } else if (groups.label !== undefined) {
      style = 'block';
      key = `ir:%${text}`;
    } else if (groups.plain !== undefined) {
      style = '';
    }
    result.push({text, style, key});
    end = match.index + text.length;
  }
  if (end < line.length) result.push({text: line.slice(end), style: '', key: ''});
  return result;
};

/** PTX whose first operand is no result. */
Explore.PTX_WITHOUT_RESULT = /^(?:st|red|bra|brx|call|ret|exit|bar|barrier|membar|fence|prefetch|trap|cp|mbarrier)\b/;

/** Returns the keys of the registers that a line defines. */
Explore.definedKeys = function (kind, line) {
  let part = '';
  if (kind === 'ptx') {
    const match = line.match(/^\s*(?:@!?%\w+\s+)?([a-z][\w.:]*)\s+(\{[^}]*\}|%\w+(?:\|%\w+)?)/);
    if (match && !Explore.PTX_WITHOUT_RESULT.test(match[1])) part = match[2];
  } else if (kind === 'dag') {
    const match = line.match(/^\s*(t\d+):/);
    if (match) part = match[1];
  } else {
    const end = line.indexOf(' = ');
    if (end >= 0) part = line.slice(0, end);
  }
  if (!part) return [];
  return Explore.tokens(kind, part)
    .filter((token) => token.style === 'register')
    .map((token) => token.key);
};

/** Returns the key of the block that a line begins, in a list, or an empty list. */
Explore.labelKeys = function (kind, line) {
  if (!/^(?:bb\.\d|\$L__BB\d|\/\/ %bb\.\d|[\w."$-]+:)/.test(line)) return [];
  const label = Explore.tokens(kind, line).find((token) => token.style === 'block');
  return label ? [label.key] : [];
};

/** Returns the name in a key, as a person reads it. */
Explore.keyName = function (key) {
  return key.startsWith('block:') ? `bb.${key.slice(6)}` : key.slice(key.indexOf(':') + 1);
};
