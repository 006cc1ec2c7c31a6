// SPDX-License-Identifier: Apache-2.0

#include "analysis/frequency/block_mass.h"

#include <algorithm>
#include <bit>

namespace ptxmir {
namespace {

uint64_t AddSaturating(uint64_t a, uint64_t b) { return a + b < a ? ~uint64_t{0} : a + b; }

ScaledNumber MassToScaled(uint64_t mass) {
  return mass == ~uint64_t{0} ? ScaledNumber(1) : ScaledNumber(mass + 1, -64);
}

// Returns the vertices that are headers of cycles, where `nodes` has the node of each vertex: those that are entered
// from other components, and the targets of back edges from vertices that are not.
std::vector<bool> FindIrreducibleHeaders(const RowGraph& graph, const StrongComponents& components,
                                         const std::vector<uint32_t>& nodes) {
  const auto for_each_edge = [&](auto visit) {
    for (uint32_t from = 0; from < graph.num_vertices(); ++from) {
      for (uint32_t i = graph.first_edge[from]; i < graph.first_edge[from + 1]; ++i) visit(from, graph.targets[i]);
    }
  };
  std::vector<bool> is_entry(graph.num_vertices());
  for_each_edge([&](uint32_t from, uint32_t to) {
    if (components.component[from] != components.component[to]) is_entry[to] = true;
  });
  std::vector<bool> is_header = is_entry;
  for_each_edge([&](uint32_t from, uint32_t to) {
    if (components.component[from] == components.component[to] && nodes[from] > nodes[to] && !is_entry[from]) {
      is_header[to] = true;
    }
  });
  return is_header;
}

}  // namespace

BlockMassComputation::BlockMassComputation(const MachineFunction& function, const MachineLoops& loops,
                                           const MachineBranchProbabilities& probabilities)
    : function_(function), probabilities_(probabilities), order_(function), nodes_(order_.reverse_postorder.size()) {
  FindLoops(loops);
}

// ---- Loops and packages

BlockMassComputation::LoopId BlockMassComputation::AddLoop(LoopId parent, std::vector<NodeId> nodes,
                                                           uint32_t num_headers, LoopId after) {
  const LoopId id = static_cast<LoopId>(loops_.size());
  loops_.emplace_back();
  Loop& loop = loops_.back();
  loop.parent = parent;
  loop.num_headers = num_headers;
  loop.nodes = std::move(nodes);
  loop.backedge_masses.resize(num_headers);
  LoopId& link = after == kNone ? first_loop_ : loops_[after].next;
  loop.next = std::exchange(link, id);
  return id;
}

void BlockMassComputation::FindLoops(const MachineLoops& loops) {
  // Ids of natural loops are the ids in `loops`: parents come first.
  for (CycleId loop = 0; loop < loops.num_cycles(); ++loop) {
    const NodeId header = order_.reverse_postorder_number[loops.Header(loop)->number()];
    const LoopId parent = loops.Parent(loop) == MachineLoops::kNoCycle ? kNone : loops.Parent(loop);
    AddLoop(parent, {header}, 1, loop == 0 ? kNone : loop - 1);
    nodes_[header].loop = loop;
  }
  for (NodeId node = 0; node < nodes_.size(); ++node) {
    if (IsLoopHeader(node)) {
      if (const LoopId outer = ContainingLoop(node); outer != kNone) loops_[outer].nodes.push_back(node);
      continue;
    }
    const CycleId loop = loops.InnermostCycle(*order_.reverse_postorder[node]);
    if (loop == MachineLoops::kNoCycle) continue;
    nodes_[node].loop = loop;
    loops_[loop].nodes.push_back(node);
  }
}

bool BlockMassComputation::IsHeaderOf(LoopId id, NodeId node) const {
  const Loop& loop = loops_[id];
  if (!loop.is_irreducible()) return loop.nodes.front() == node;
  return std::binary_search(loop.nodes.begin(), loop.nodes.begin() + loop.num_headers, node);
}

uint32_t BlockMassComputation::HeaderIndex(const Loop& loop, NodeId node) const {
  if (!loop.is_irreducible()) return 0;
  const auto end = loop.nodes.begin() + loop.num_headers;
  return static_cast<uint32_t>(std::lower_bound(loop.nodes.begin(), end, node) - loop.nodes.begin());
}

bool BlockMassComputation::IsLoopHeader(NodeId node) const {
  return nodes_[node].loop != kNone && IsHeaderOf(nodes_[node].loop, node);
}

// Returns true if the node is the header of a natural loop and of the irreducible loop around it.
bool BlockMassComputation::IsDoubleLoopHeader(NodeId node) const {
  if (!IsLoopHeader(node)) return false;
  const LoopId parent = loops_[nodes_[node].loop].parent;
  return parent != kNone && loops_[parent].is_irreducible() && IsHeaderOf(parent, node);
}

BlockMassComputation::LoopId BlockMassComputation::ContainingLoop(NodeId node) const {
  const LoopId loop = nodes_[node].loop;
  if (!IsLoopHeader(node)) return loop;
  const LoopId parent = loops_[loop].parent;
  return IsDoubleLoopHeader(node) ? loops_[parent].parent : parent;
}

BlockMassComputation::LoopId BlockMassComputation::PackagedLoop(NodeId node) const {
  LoopId loop = nodes_[node].loop;
  if (loop == kNone || !loops_[loop].is_packaged) return kNone;
  while (loops_[loop].parent != kNone && loops_[loops_[loop].parent].is_packaged) loop = loops_[loop].parent;
  return loop;
}

BlockMassComputation::NodeId BlockMassComputation::Resolve(NodeId node) const {
  const LoopId loop = PackagedLoop(node);
  return loop == kNone ? node : loops_[loop].nodes.front();
}

bool BlockMassComputation::IsPackage(NodeId node) const {
  return IsLoopHeader(node) && loops_[nodes_[node].loop].is_packaged;
}

uint64_t& BlockMassComputation::MassOf(NodeId node) {
  if (!IsPackage(node)) return nodes_[node].mass;
  Loop& loop = loops_[nodes_[node].loop];
  if (IsDoubleLoopHeader(node) && loops_[loop.parent].is_packaged) return loops_[loop.parent].mass;
  return loop.mass;
}

// ---- Mass

bool BlockMassComputation::AddEdge(LoopId outer, NodeId from, NodeId to, uint64_t weight) {
  weight = std::max<uint64_t>(weight, 1);
  const NodeId target = Resolve(to);
  const auto is_header = [&](NodeId node) { return outer != kNone && IsHeaderOf(outer, node); };
  if (is_header(target)) {
    edges_.push_back({EdgeKind::kBackedge, target, weight});
  } else if (ContainingLoop(target) != outer) {
    edges_.push_back({EdgeKind::kExit, target, weight});
  } else if (target < from && !is_header(from)) {
    return false;
  } else {
    edges_.push_back({EdgeKind::kLocal, target, weight});
  }
  return true;
}

uint64_t BlockMassComputation::NormalizeEdges() {
  if (edges_.empty()) return 0;
  uint64_t total = 0;
  bool overflows = false;
  for (const Edge& edge : edges_) {
    overflows |= total + edge.weight < total;
    total += edge.weight;
  }
  if (edges_.size() > 1) {
    std::sort(edges_.begin(), edges_.end(), [](const Edge& a, const Edge& b) { return a.target < b.target; });
    size_t last = 0;
    for (size_t i = 1; i < edges_.size(); ++i) {
      if (edges_[i].target == edges_[last].target) {
        edges_[last].weight = AddSaturating(edges_[last].weight, edges_[i].weight);
      } else {
        edges_[++last] = edges_[i];
      }
    }
    edges_.resize(last + 1);
  }
  if (edges_.size() == 1) return edges_.front().weight = 1;
  // One bit more than necessary, because every weight is at least 1 and these ones may add up.
  const int shift = overflows ? 33 : total > ~uint32_t{0} ? 33 - std::countl_zero(total) : 0;
  if (shift == 0) return total;
  total = 0;
  for (Edge& edge : edges_) {
    edge.weight = std::max<uint64_t>((edge.weight >> shift) + (edge.weight >> (shift - 1) & 1), 1);
    total += edge.weight;
  }
  return total;
}

template <typename Take>
void BlockMassComputation::Distribute(uint64_t mass, Take take) {
  uint64_t weight = NormalizeEdges();
  for (const Edge& edge : edges_) {
    // The last edge gets what rounding loses.
    constexpr uint64_t kOne = BranchProbability::kDenominator;
    const uint64_t numerator = (edge.weight * kOne + weight / 2) / weight;
    const uint64_t taken = numerator == kOne ? mass : Scale(mass, BranchProbability(static_cast<uint32_t>(numerator)));
    weight -= edge.weight;
    mass -= taken;
    take(edge, taken);
  }
}

template <typename Visit>
void BlockMassComputation::ForEachSuccessor(NodeId node, Visit visit) const {
  if (const LoopId inner = PackagedLoop(node); inner != kNone) {
    for (const auto& [target, mass] : loops_[inner].exits) visit(target);
    return;
  }
  for (const MachineBasicBlock* successor : order_.reverse_postorder[node]->successors()) {
    visit(order_.reverse_postorder_number[successor->number()]);
  }
}

bool BlockMassComputation::Propagate(LoopId outer, NodeId node) {
  edges_.clear();
  if (const LoopId inner = PackagedLoop(node); inner != kNone) {
    for (const auto& [target, mass] : loops_[inner].exits) {
      if (!AddEdge(outer, loops_[inner].nodes.front(), target, mass)) return false;
    }
  } else {
    const MachineBasicBlock& block = *order_.reverse_postorder[node];
    probabilities_.GetProbabilities(block, edge_probabilities_);
    for (size_t i = 0; i < edge_probabilities_.size(); ++i) {
      const NodeId to = order_.reverse_postorder_number[block.successors()[i]->number()];
      if (!AddEdge(outer, node, to, edge_probabilities_[i].numerator())) return false;
    }
  }
  Distribute(MassOf(node), [&](const Edge& edge, uint64_t taken) {
    if (edge.kind == EdgeKind::kLocal) {
      uint64_t& mass = MassOf(edge.target);
      mass = AddSaturating(mass, taken);
    } else if (edge.kind == EdgeKind::kBackedge) {
      uint64_t& mass = loops_[outer].backedge_masses[HeaderIndex(loops_[outer], edge.target)];
      mass = AddSaturating(mass, taken);
    } else {
      loops_[outer].exits.emplace_back(edge.target, taken);
    }
  });
  return true;
}

// Distributes mass by the weights in edges_. For an irreducible loop, that is evenly at first; after an iteration,
// it is in proportion to the mass that came back to each header.
void BlockMassComputation::GiveMassToHeaders() {
  Distribute(kFullMass, [&](const Edge& edge, uint64_t taken) { MassOf(edge.target) = taken; });
}

bool BlockMassComputation::ComputeMassInLoop(LoopId id) {
  if (loops_[id].is_irreducible()) {
    edges_.clear();
    for (uint32_t i = 0; i < loops_[id].num_headers; ++i) {
      edges_.push_back({EdgeKind::kLocal, loops_[id].nodes[i], 1});
    }
    GiveMassToHeaders();
    for (size_t i = 0; i < loops_[id].nodes.size(); ++i) Propagate(id, loops_[id].nodes[i]);
    edges_.clear();
    for (uint32_t i = 0; i < loops_[id].num_headers; ++i) {
      const uint64_t mass = loops_[id].backedge_masses[i];
      if (mass != 0) edges_.push_back({EdgeKind::kLocal, loops_[id].nodes[i], mass});
    }
    GiveMassToHeaders();
  } else {
    MassOf(loops_[id].nodes.front()) = kFullMass;
    for (size_t i = 0; i < loops_[id].nodes.size(); ++i) {
      if (!Propagate(id, loops_[id].nodes[i])) return false;
    }
  }
  PackageLoop(id);
  return true;
}

void BlockMassComputation::PackageLoop(LoopId id) {
  Loop& loop = loops_[id];
  uint64_t backedge_mass = 0;
  for (const uint64_t mass : loop.backedge_masses) backedge_mass = AddSaturating(backedge_mass, mass);
  const uint64_t exit_mass = kFullMass - backedge_mass;
  // Limits the scale: an infinite one would make all other blocks look equally frequent.
  constexpr ScaledNumber kEndlessLoopScale(1, 12);
  loop.scale = exit_mass == 0 ? kEndlessLoopScale : ScaledNumber(1) / MassToScaled(exit_mass);
  // The exits of inner loops are no longer needed. Keeping them would take quadratic memory in deep nests.
  for (const NodeId node : loop.nodes) {
    const LoopId inner = PackagedLoop(node);
    if (inner != kNone) std::vector<std::pair<NodeId, uint64_t>>().swap(loops_[inner].exits);
  }
  loop.is_packaged = true;
}

bool BlockMassComputation::ComputeMassInFunction() {
  MassOf(0) = kFullMass;
  for (NodeId node = 0; node < nodes_.size(); ++node) {
    if (Resolve(node) == node && !Propagate(kNone, node)) return false;
  }
  return true;
}

// ---- Irreducible cycles

std::vector<BlockMassComputation::NodeId> BlockMassComputation::NodesAtLevel(LoopId outer) const {
  if (outer != kNone) return loops_[outer].nodes;
  std::vector<NodeId> nodes;
  for (NodeId node = 0; node < nodes_.size(); ++node) {
    if (Resolve(node) == node) nodes.push_back(node);
  }
  return nodes;
}

RowGraph BlockMassComputation::GraphOf(const std::vector<NodeId>& members, LoopId outer) {
  vertices_.resize(nodes_.size(), kNone);
  for (uint32_t i = 0; i < members.size(); ++i) vertices_[members[i]] = i;
  RowGraph graph;
  for (const NodeId node : members) {
    ForEachSuccessor(node, [&](NodeId to) {
      if (outer != kNone && IsHeaderOf(outer, to)) return;
      if (vertices_[to] != kNone) graph.targets.push_back(vertices_[to]);
    });
    graph.CloseRow();
  }
  for (const NodeId node : members) vertices_[node] = kNone;
  return graph;
}

void BlockMassComputation::HandleIrreducible(LoopId outer) {
  const std::vector<NodeId> members = NodesAtLevel(outer);
  for (const NodeId node : members) MassOf(node) = 0;
  const RowGraph graph = GraphOf(members, outer);
  const StrongComponents components(graph);
  const std::vector<bool> is_header = FindIrreducibleHeaders(graph, components, members);
  std::vector<std::vector<uint32_t>> vertices_of(components.num_components);
  for (uint32_t vertex = 0; vertex < members.size(); ++vertex) {
    vertices_of[components.component[vertex]].push_back(vertex);
  }
  std::vector<LoopId> added;
  for (const std::vector<uint32_t>& component : vertices_of) {
    if (component.size() < 2) continue;
    std::vector<NodeId> headers, others;
    for (const uint32_t vertex : component) (is_header[vertex] ? headers : others).push_back(members[vertex]);
    const uint32_t num_headers = static_cast<uint32_t>(headers.size());
    headers.insert(headers.end(), others.begin(), others.end());
    const LoopId loop = AddLoop(outer, std::move(headers), num_headers, outer);
    added.push_back(loop);
    for (const NodeId node : loops_[loop].nodes) {
      if (IsLoopHeader(node)) {
        loops_[nodes_[node].loop].parent = loop;
      } else {
        nodes_[node].loop = loop;
      }
    }
  }
  for (const LoopId loop : added) ComputeMassInLoop(loop);
  if (outer == kNone) return;
  Loop& loop = loops_[outer];
  loop.exits.clear();
  std::fill(loop.backedge_masses.begin(), loop.backedge_masses.end(), 0);
  loop.nodes.erase(
      std::remove_if(loop.nodes.begin() + 1, loop.nodes.end(), [&](NodeId node) { return Resolve(node) != node; }),
      loop.nodes.end());
}

// ---- Everything

std::vector<uint64_t> BlockMassComputation::Run() {
  std::vector<uint64_t> result(function_.block_number_bound());
  if (nodes_.empty()) return result;
  // Natural loops, innermost first. HandleIrreducible adds to loops_.
  for (LoopId loop = static_cast<LoopId>(loops_.size()); loop-- > 0;) {
    if (ComputeMassInLoop(loop)) continue;
    HandleIrreducible(loop);
    ComputeMassInLoop(loop);
  }
  if (!ComputeMassInFunction()) {
    HandleIrreducible(kNone);
    ComputeMassInFunction();
  }
  std::vector<ScaledNumber> frequencies(nodes_.size());
  for (NodeId node = 0; node < nodes_.size(); ++node) frequencies[node] = MassToScaled(nodes_[node].mass);
  for (LoopId id = first_loop_; id != kNone; id = loops_[id].next) {
    Loop& loop = loops_[id];
    loop.scale = loop.scale * MassToScaled(loop.mass);
    loop.is_packaged = false;
    for (const NodeId node : loop.nodes) {
      ScaledNumber& frequency = IsPackage(node) ? loops_[PackagedLoop(node)].scale : frequencies[node];
      frequency = loop.scale * frequency;
    }
  }
  // Ten bits are left for sums and products.
  const ScaledNumber largest = *std::max_element(frequencies.begin(), frequencies.end());
  const ScaledNumber factor = ScaledNumber(1, 54) / largest;
  for (NodeId node = 0; node < nodes_.size(); ++node) {
    result[order_.reverse_postorder[node]->number()] = std::max<uint64_t>((frequencies[node] * factor).ToInteger(), 1);
  }
  return result;
}

}  // namespace ptxmir
