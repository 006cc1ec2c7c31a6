// SPDX-License-Identifier: Apache-2.0
//
// The namespace of all scripts of the page, and the data: wraps the JSON in objects with lookups.
'use strict';

const Explore = {};

/** The kinds of stages, in the order in which they appear. */
Explore.STAGE_KINDS = {ir: 'IR', dag: 'DAG', mir: 'MIR', ptx: 'PTX'};

/** A function at one point of the pipeline. */
Explore.Stage = class {
  constructor(raw, index, kernel) {
    this.index = index;
    this.kernel = kernel;
    this.kind = raw.kind;
    this.name = raw.name;
    this.description = raw.description || '';
    this.unchanged = raw.unchanged || [];
    this.instructions = raw.instructions || 0;
    this.blocks = raw.blocks || 0;
    this.code = raw.code || [];
    this.isCut = !raw.code;
    this.maxLive = raw.max_live === undefined ? null : raw.max_live;
    this.maxPredicates = raw.max_predicates === undefined ? null : raw.max_predicates;
    this.pressure = raw.pressure || [];
    this.place = raw.place || [];
    this.irOrders = raw.ir || [];
    this.machineLines = raw.mir || [];
    this.peak = raw.peak || null;
    this.graph = raw.graph || {blocks: [], loops: []};
    this.ranges = raw.ranges || [];
    this.uniform = null;
    this.definitions = null;
  }

  text(line) {
    const text = this.kernel.texts[this.code[line]];
    return text === undefined ? '' : text;
  }

  /** Returns a number per line that is equal for equal texts, also between functions and versions. */
  identities() {
    if (this.uniform === null) {
      const model = this.kernel.version.model;
      this.uniform = this.code.map((_, line) => model.intern(this.text(line)));
    }
    return this.uniform;
  }

  pressureAt(line) {
    const value = this.pressure[line];
    return value === undefined ? -1 : value;
  }

  placeAt(line) {
    const index = this.place[line];
    return index === undefined || index < 0 ? null : this.kernel.places[index] || null;
  }

  /** Returns the block with the line, or null. */
  blockAt(line) {
    return this.graph.blocks.find((block) => block.first <= line && line < block.end) || null;
  }

  blockNumbered(number) {
    return this.graph.blocks.find((block) => block.number === number) || null;
  }

  /** Returns the lines that define the register with that key, or begin the block with it. */
  definitionLines(key) {
    if (this.definitions === null) {
      this.definitions = new Map();
      for (let line = 0; line < this.code.length; ++line) {
        const text = this.text(line);
        for (const defined of [...Explore.definedKeys(this.kind, text), ...Explore.labelKeys(this.kind, text)]) {
          if (!this.definitions.has(defined)) this.definitions.set(defined, []);
          this.definitions.get(defined).push(line);
        }
      }
    }
    return this.definitions.get(key) || [];
  }

  /** Returns the lines that are instructions. */
  instructionLines() {
    const lines = [];
    for (let line = 0; line < this.pressure.length; ++line) {
      if (this.pressure[line] >= 0) lines.push(line);
    }
    return lines;
  }
};

/** A function of a version; called a kernel here because "function" is a word of the language. */
Explore.Kernel = class {
  constructor(raw, version) {
    this.version = version;
    this.name = raw.name;
    this.isKernel = Boolean(raw.is_kernel);
    this.architecture = raw.sm || '';
    this.budget = raw.budget || null;
    this.occupancy = raw.occupancy || null;
    this.texts = raw.texts || [];
    this.places = raw.places || [];
    this.schedules = raw.schedules || [];
    this.stages = (raw.stages || []).map((stage, index) => new Explore.Stage(stage, index, this));
    this.remarks = version.remarks.filter((remark) => !remark.function || remark.function === this.name);
    this.missed = null;
  }

  machineStages() {
    return this.stages.filter((stage) => stage.kind === 'mir');
  }

  /** Returns the remarks of kind Missed that name the register. */
  missedRemarks(register) {
    if (this.missed === null) {
      this.missed = new Map();
      for (const remark of this.remarks) {
        if (remark.kind !== 'Missed') continue;
        for (const name of remark.registers || []) {
          if (!this.missed.has(name)) this.missed.set(name, []);
          this.missed.get(name).push(remark);
        }
      }
    }
    return this.missed.get(register) || [];
  }
};

/** One compilation: of two if two are compared. */
Explore.Version = class {
  constructor(raw, index, model) {
    this.model = model;
    this.index = index;
    this.label = raw.label || '';
    this.command = raw.command || '';
    this.remarks = raw.remarks || [];
    this.ptxasNote = (raw.ptxas && raw.ptxas.note) || '';
    this.ptxasRows = (raw.ptxas && raw.ptxas.rows) || [];
    this.kernels = (raw.functions || []).map((kernel) => new Explore.Kernel(kernel, this));
  }

  kernelNamed(name) {
    return this.kernels.find((kernel) => kernel.name === name) || null;
  }
};

/** All data of the page. */
Explore.Model = class {
  constructor(raw) {
    this.title = raw.title || '';
    this.tool = raw.tool || '';
    this.command = raw.command || '';
    this.notes = raw.notes || [];
    this.knobs = raw.knobs || [];
    this.sources = raw.sources || [];
    this.identityOfText = new Map();
    this.versions = (raw.versions || []).map((version, index) => new Explore.Version(version, index, this));
  }

  intern(text) {
    let identity = this.identityOfText.get(text);
    if (identity === undefined) {
      identity = this.identityOfText.size;
      this.identityOfText.set(text, identity);
    }
    return identity;
  }

  /** Returns the same function in the other version, or null. */
  counterpart(kernel) {
    const other = this.versions.find((version) => version !== kernel.version);
    return other ? other.kernelNamed(kernel.name) : null;
  }
};
