// SPDX-License-Identifier: Apache-2.0
//
// The strip of stages: a button per stage with what it changed, and between them the passes that changed nothing.

/** Returns the stage before that has code, or null. */
Explore.stageBefore = function (stage) {
  for (let i = stage.index - 1; i >= 0; --i) {
    if (!stage.kernel.stages[i].isCut) return stage.kernel.stages[i];
  }
  return null;
};

/** Returns what a stage changed in numbers: {label, change}. */
Explore.stageChanges = function (stage) {
  const before = stage.index > 0 ? stage.kernel.stages[stage.index - 1] : null;
  if (!before || before.kind !== stage.kind) return [];
  const changes = [{label: stage.kind === 'dag' ? 'nodes' : 'instr', change: stage.instructions - before.instructions}];
  if (stage.maxLive !== null && before.maxLive !== null) {
    changes.push({label: 'live', change: stage.maxLive - before.maxLive});
  }
  changes.push({label: 'blocks', change: stage.blocks - before.blocks});
  return changes.filter(({change}) => change !== 0);
};

/** Returns the strip; "select" is called with the index of a stage. */
Explore.pipelineStrip = function (kernel, chosen, select) {
  const most = Math.max(1, ...kernel.stages.map((stage) => stage.maxLive || 0));
  const strip = Explore.element('nav', {class: 'strip', 'aria-label': 'Stages'});
  for (const stage of kernel.stages) {
    if (stage.unchanged.length > 0) strip.append(Explore.unchangedPasses(stage.unchanged));
    strip.append(Explore.stageButton(stage, most, stage.index === chosen, select));
  }
  return strip;
};

Explore.unchangedPasses = function (names) {
  if (names.length <= 3)
    return Explore.element('div', {class: 'unchanged', title: 'changed nothing'}, names.join(', '));
  return Explore.element(
    'details',
    {class: 'unchanged'},
    Explore.element('summary', {}, `${names.length} passes changed nothing`),
    names.join(', ')
  );
};

Explore.stageButton = function (stage, most, isChosen, select) {
  const changes = Explore.stageChanges(stage).map(({label, change}) =>
    Explore.element('span', {class: change > 0 ? 'more' : 'less'}, `${Explore.signed(change)} ${label}`)
  );
  const numbers = [Explore.count(stage.instructions, stage.kind === 'dag' ? 'node' : 'instruction'), Explore.count(stage.blocks, 'block')];
  if (stage.maxLive !== null) numbers.push(`at most ${stage.maxLive} registers live`);
  const button = Explore.button(
    [
      Explore.element('span', {class: `kind kind-${stage.kind}`}, Explore.STAGE_KINDS[stage.kind] || stage.kind),
      Explore.element('span', {class: 'stage-name'}, stage.name),
      stage.maxLive === null ? null : Explore.element('span', {class: 'stage-live'}, String(stage.maxLive)),
      changes.length > 0 ? Explore.element('span', {class: 'changes'}, changes) : null,
    ],
    () => select(stage.index),
    {
      class: 'stage',
      'data-stage': stage.index,
      'aria-current': isChosen ? 'true' : null,
      title: `${stage.description}: ${numbers.join(', ')}`,
    }
  );
  if (stage.maxLive !== null) button.style.setProperty('--share', String(stage.maxLive / most));
  return button;
};

/** Marks the button of the chosen stage and scrolls it into sight. */
Explore.markStage = function (strip, index) {
  for (const button of strip.querySelectorAll('.stage')) {
    const isChosen = Number(button.getAttribute('data-stage')) === index;
    if (isChosen) {
      button.setAttribute('aria-current', 'true');
      button.scrollIntoView({block: 'nearest'});
    } else {
      button.removeAttribute('aria-current');
    }
  }
};
