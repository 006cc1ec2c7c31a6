// SPDX-License-Identifier: Apache-2.0
//
// Lays out a graph in layers. A loop is laid out by itself, and is then a node of the loop or function around it.
// Where an edge leaves a loop, the loop has a port at its lower side, so that the edge goes around the loop's blocks.

/** Distances in the picture: between blocks, layers, lanes, and points of edges, and around the blocks of a loop. */
Explore.FLOW_GAP = {x: 26, y: 42, lane: 12, point: 10, box: 14};

/** Width of the blocks of a layer from which on the next layer takes more of them. */
Explore.LAYER_WIDTH = 800;

/** Returns the gap between two neighbors in a layer. */
Explore.gapBetween = function (one, other) {
  return one.isPoint || other.isPoint ? Explore.FLOW_GAP.point : Explore.FLOW_GAP.x;
};

/** Returns the edges without those that go back, found by a search from the first node. */
Explore.forwardEdges = function (nodes, edges) {
  const outgoing = new Map(nodes.map((node) => [node, []]));
  for (const edge of edges) outgoing.get(edge.from).push(edge);
  const state = new Map();
  const forward = [];
  for (const root of nodes) {
    if (state.has(root)) continue;
    state.set(root, 'open');
    const stack = [{node: root, next: 0}];
    while (stack.length > 0) {
      const top = stack[stack.length - 1];
      const edge = outgoing.get(top.node)[top.next++];
      if (!edge) {
        state.set(top.node, 'done');
        stack.pop();
      } else if (!state.has(edge.to)) {
        forward.push(edge);
        state.set(edge.to, 'open');
        stack.push({node: edge.to, next: 0});
      } else if (state.get(edge.to) === 'done') {
        forward.push(edge);
      }
    }
  }
  return forward;
};

/** Sets the rank of each node: the length of the longest path to it, or more where a layer would be too wide. */
Explore.rankNodes = function (nodes, forward) {
  const missing = new Map(nodes.map((node) => [node, 0]));
  const outgoing = new Map(nodes.map((node) => [node, []]));
  for (const edge of forward) {
    missing.set(edge.to, missing.get(edge.to) + 1);
    outgoing.get(edge.from).push(edge.to);
  }
  for (const node of nodes) node.rank = 0;
  const widths = [];
  const ready = nodes.filter((node) => missing.get(node) === 0);
  while (ready.length > 0) {
    const node = ready.shift();
    const isFull = () => widths[node.rank] > 0 && widths[node.rank] + node.width > Explore.LAYER_WIDTH;
    while (!node.isPort && isFull()) ++node.rank;
    widths[node.rank] = (widths[node.rank] || 0) + node.width;
    for (const next of outgoing.get(node)) {
      next.rank = Math.max(next.rank, node.rank + 1);
      missing.set(next, missing.get(next) - 1);
      if (missing.get(next) === 0) ready.push(next);
    }
  }
};

/** One level: the blocks, loops and ports inside one loop, or inside the function. */
Explore.FlowLevel = class {
  constructor(nodes, edges) {
    this.nodes = nodes;
    this.forward = Explore.forwardEdges(
      nodes,
      edges.filter((edge) => edge.from !== edge.to)
    );
    const isForward = new Set(this.forward);
    this.backward = edges.filter((edge) => !isForward.has(edge));
    Explore.rankNodes(nodes, this.forward);
    this.sinkPorts();
    this.makeLayers();
    this.orderLayers();
    this.placeNodes();
  }

  /** Ports lie below everything else. */
  sinkPorts() {
    const last = Math.max(0, ...this.nodes.filter((node) => !node.isPort).map((node) => node.rank));
    for (const node of this.nodes) {
      if (node.isPort) node.rank = last + 1;
    }
  }

  /** Splits edges over several layers by points, so that edges join neighboring layers only. */
  makeLayers() {
    this.layers = [];
    const add = (node) => {
      while (this.layers.length <= node.rank) this.layers.push([]);
      this.layers[node.rank].push(node);
      node.above = [];
      node.below = [];
    };
    this.nodes.forEach(add);
    for (const edge of this.forward) {
      edge.chain = [edge.from];
      for (let rank = edge.from.rank + 1; rank < edge.to.rank; ++rank) {
        const point = {rank, width: 6, height: 0, isPoint: true};
        add(point);
        edge.chain.push(point);
      }
      edge.chain.push(edge.to);
      for (let i = 1; i < edge.chain.length; ++i) {
        edge.chain[i - 1].below.push(edge.chain[i]);
        edge.chain[i].above.push(edge.chain[i - 1]);
      }
    }
  }

  /** Orders each layer by the barycenters of its neighbors, alternating down and up. */
  orderLayers() {
    const number = (layer) =>
      layer.forEach((node, index) => {
        node.order = index;
      });
    this.layers.forEach(number);
    for (let sweep = 0; sweep < 8; ++sweep) {
      const isDown = sweep % 2 === 0;
      for (const layer of isDown ? this.layers : [...this.layers].reverse()) {
        for (const node of layer) {
          const neighbors = isDown ? node.above : node.below;
          node.weight =
            neighbors.length === 0
              ? node.order
              : neighbors.reduce((sum, neighbor) => sum + neighbor.order, 0) / neighbors.length;
        }
        layer.sort((a, b) => a.weight - b.weight || a.order - b.order);
        number(layer);
      }
    }
  }

  /** Sets x (center) and y (top) of all nodes, and the size of the level. */
  placeNodes() {
    const gap = Explore.FLOW_GAP;
    for (const layer of this.layers) {
      let x = 0;
      layer.forEach((node, i) => {
        x += i > 0 ? Explore.gapBetween(layer[i - 1], node) : 0;
        node.x = x + node.width / 2;
        x += node.width;
      });
    }
    for (let sweep = 0; sweep < 10; ++sweep) {
      const isDown = sweep % 2 === 0;
      for (const layer of isDown ? this.layers : [...this.layers].reverse()) {
        this.pullLayer(layer, isDown ? 'above' : 'below');
      }
    }
    let left = Infinity;
    let right = -Infinity;
    for (const node of this.layers.flat()) {
      left = Math.min(left, node.x - node.width / 2);
      right = Math.max(right, node.x + node.width / 2);
    }
    let y = 0;
    this.layers.forEach((layer, rank) => {
      const height = Math.max(0, ...layer.map((node) => node.height));
      for (const node of layer) {
        node.x -= left;
        node.y = y;
        node.layerEnd = y + height;
      }
      const next = this.layers[rank + 1];
      y += height + (next && next.every((node) => node.isPort || node.isPoint) ? gap.y / 2 : gap.y);
    });
    this.inner = right - left;
    this.width = Math.max(0, this.inner) + this.backward.length * gap.lane + (this.backward.length > 0 ? gap.lane : 0);
    this.height = Math.max(0, y - gap.y);
  }

  /** Moves nodes towards their neighbors as far as the nodes beside them allow. */
  pullLayer(layer, side) {
    const wanted = layer.map((node) =>
      node[side].length === 0 ? node.x : node[side].reduce((sum, neighbor) => sum + neighbor.x, 0) / node[side].length
    );
    const distanceAfter = (i) => (layer[i].width + layer[i + 1].width) / 2 + Explore.gapBetween(layer[i], layer[i + 1]);
    const fromLeft = [];
    const fromRight = [];
    layer.forEach((node, i) => {
      fromLeft.push(i > 0 ? Math.max(wanted[i], fromLeft[i - 1] + distanceAfter(i - 1)) : wanted[i]);
    });
    for (let i = layer.length - 1; i >= 0; --i) {
      const isLast = i === layer.length - 1;
      fromRight[i] = isLast ? wanted[i] : Math.min(wanted[i], fromRight[i + 1] - distanceAfter(i));
    }
    layer.forEach((node, i) => {
      node.x = (fromLeft[i] + fromRight[i]) / 2;
    });
  }
};

/**
 * Returns the layout of a stage's graph: its width and height, the places of blocks and loops, and the edges with the
 * points that they go through.
 */
Explore.layoutFlow = function (graph, sizeOf) {
  const numbers = new Set(graph.blocks.map((block) => block.number));
  const edges = graph.blocks.flatMap((block) =>
    (block.successors || [])
      .filter((successor) => numbers.has(successor.to))
      .map((successor) => ({source: block, target: successor.to, successor}))
  );
  const layout = {
    blocks: [],
    loops: [],
    edges: [],
    ofNumber: new Map(graph.blocks.map((block) => [block.number, block])),
  };
  const level = Explore.layoutLevel(graph, -1, edges, sizeOf, layout);
  Explore.placeLevel(level, 0, 0, layout);
  layout.width = level.width;
  layout.height = level.height;
  return layout;
};

/** Returns the loop directly inside "outer" that the block is in, or -1 if the block is directly in "outer". */
Explore.loopChild = function (graph, block, outer) {
  let child = -1;
  for (let loop = block.loop; loop !== outer && loop >= 0; loop = graph.loops[loop].parent) child = loop;
  return child;
};

/** Returns whether the block is in the loop; all blocks are in loop -1. */
Explore.isInLoop = function (graph, block, outer) {
  let loop = block.loop;
  while (loop !== outer && loop >= 0) loop = graph.loops[loop].parent;
  return loop === outer;
};

/** Returns the level of a loop. Each of "edges" begins in the loop; those that leave it get ports. */
Explore.layoutLevel = function (graph, loop, edges, sizeOf, layout) {
  const nodes = [];
  const nodeOf = new Map();
  const inside = graph.blocks.filter((block) => Explore.isInLoop(graph, block, loop));
  const header = loop >= 0 ? graph.loops[loop].header : -1;
  inside.sort((a, b) => (b.number === header) - (a.number === header));
  for (const block of inside) {
    const child = Explore.loopChild(graph, block, loop);
    const key = child < 0 ? `block:${block.number}` : `loop:${child}`;
    if (nodeOf.has(key)) continue;
    const node = child < 0 ? {block, ...sizeOf(block)} : Explore.loopNode(graph, child, edges, sizeOf, layout);
    nodeOf.set(key, node);
    nodes.push(node);
  }
  const nodeOfBlock = (block) => {
    const child = Explore.loopChild(graph, block, loop);
    return nodeOf.get(child < 0 ? `block:${block.number}` : `loop:${child}`);
  };
  const levelEdges = [];
  for (const edge of edges.filter((candidate) => Explore.isInLoop(graph, candidate.source, loop))) {
    const from = nodeOfBlock(edge.source);
    const target = layout.ofNumber.get(edge.target);
    let to = null;
    if (!Explore.isInLoop(graph, target, loop)) {
      to = {isPort: true, width: 8, height: 0};
      nodes.push(to);
    } else {
      to = nodeOfBlock(target);
      if (from === to && from.level) continue;
    }
    levelEdges.push({from, to, edge});
  }
  return new Explore.FlowLevel(nodes, levelEdges);
};

Explore.loopNode = function (graph, loop, edges, sizeOf, layout) {
  const level = Explore.layoutLevel(graph, loop, edges, sizeOf, layout);
  const box = Explore.FLOW_GAP.box;
  return {level, loop: graph.loops[loop], width: level.width + 2 * box, height: level.height + 2 * box};
};

/** Returns for each edge where it leaves the lower side of its block: side by side, those that go back at the right. */
Explore.exitPlaces = function (level) {
  const ofNode = new Map();
  const add = (edge, order) => {
    if (!ofNode.has(edge.from)) ofNode.set(edge.from, []);
    ofNode.get(edge.from).push({edge, order});
  };
  for (const edge of level.forward) add(edge, edge.chain[1].x);
  for (const edge of level.backward) add(edge, Number.MAX_VALUE);
  const places = new Map();
  for (const [node, list] of ofNode) {
    list.sort((a, b) => a.order - b.order);
    list.forEach(({edge}, index) => {
      places.set(edge, node.x + node.width * ((index + 0.5) / list.length - 0.5));
    });
  }
  return places;
};

/** Gives all nodes of a level their places in the picture, and adds to each edge the points in this level. */
Explore.placeLevel = function (level, left, top, layout) {
  const box = Explore.FLOW_GAP.box;
  for (const node of level.nodes) {
    node.left = left + node.x - node.width / 2;
    node.top = top + node.y;
    if (node.block) {
      layout.blocks.push({block: node.block, x: node.left, y: node.top, width: node.width, height: node.height});
    } else if (node.level) {
      layout.loops.push({loop: node.loop, x: node.left, y: node.top, width: node.width, height: node.height});
      Explore.placeLevel(node.level, node.left + box, node.top + box, layout);
    }
  }
  const exits = Explore.exitPlaces(level);
  for (const levelEdge of level.forward) {
    const {edge, chain} = levelEdge;
    const points = edge.points || (edge.points = []);
    const start = chain[0];
    if (start.block) points.push([left + exits.get(levelEdge), start.top + start.height]);
    const bottom = top + start.layerEnd;
    if (points[points.length - 1][1] < bottom) points.push([points[points.length - 1][0], bottom]);
    for (const point of chain.slice(1)) {
      points.push([left + point.x, top + point.y]);
      if (point.isPoint && point.layerEnd > point.y) points.push([left + point.x, top + point.layerEnd]);
    }
    const end = chain[chain.length - 1];
    if (end.level) Explore.addEntry(end, edge, layout);
    if (!end.isPort) layout.edges.push(edge);
  }
  level.backward.forEach((levelEdge, index) => {
    const {from, to, edge} = levelEdge;
    const points = edge.points || (edge.points = []);
    const lane = left + level.inner + (index + 1) * Explore.FLOW_GAP.lane;
    if (from.block) points.push([left + exits.get(levelEdge), from.top + from.height]);
    const end = [left + to.x + (to.block ? to.width / 4 : 0), to.top];
    edge.lane = {x: lane, from: points[points.length - 1], to: end};
    edge.isBack = true;
    layout.edges.push(edge);
  });
};

/** Leads an edge from the upper side of a loop's box to the block inside that it goes to. */
Explore.addEntry = function (node, edge, layout) {
  const target = layout.blocks.find(({block}) => block.number === edge.target);
  if (target) edge.points.push([target.x + target.width / 2, target.y]);
};
