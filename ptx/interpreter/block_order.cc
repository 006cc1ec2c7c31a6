#include "ptx/interpreter/block_order.h"

#include <algorithm>

namespace ptxmir::ptx {
namespace {

// Tarjan's algorithm with an explicit stack. Components come out in reverse topological order. Nested loops are
// taken apart by a work list of regions rather than by recursion: a region is a set of blocks (those with its
// number in `region_`) and the place of the result where it goes.
class OrderBuilder {
 public:
  explicit OrderBuilder(const MachineFunction& function) : function_(function), nodes_(function.block_number_bound()) {}

  std::vector<const MachineBasicBlock*> Run() {
    if (function_.empty()) return {};
    // Items that remain to be put out, the next one last: a block by itself, or the rest of a loop by its head.
    std::vector<Item> pending;
    Decompose({function_.front()}, /*region=*/0, pending);
    std::vector<const MachineBasicBlock*> order;
    while (!pending.empty()) {
      const Item item = pending.back();
      pending.pop_back();
      order.push_back(item.block);
      if (item.loop_region == 0) continue;
      const absl::Span<MachineBasicBlock* const> successors = item.block->successors();
      Decompose({successors.begin(), successors.end()}, item.loop_region, pending);
    }
    return order;
  }

 private:
  struct Item {
    const MachineBasicBlock* block;
    uint32_t loop_region;  // region of the other blocks of the loop that the block heads; 0: no loop
  };
  struct Node {
    uint32_t region = 0;
    uint32_t index = 0;  // 0: not visited in this region
    uint32_t low = 0;
    bool on_stack = false;
  };
  struct Visit {
    const MachineBasicBlock* block;
    size_t next_successor;
  };

  Node& NodeOf(const MachineBasicBlock* block) { return nodes_[block->number()]; }

  // Appends the components of a region that the blocks lead to, the first one in topological order last.
  void Decompose(const std::vector<const MachineBasicBlock*>& entries, uint32_t region, std::vector<Item>& out) {
    for (const MachineBasicBlock* entry : entries) {
      if (NodeOf(entry).region == region && NodeOf(entry).index == 0) VisitFrom(entry, region, out);
    }
  }

  void Enter(const MachineBasicBlock* block) {
    Node& node = NodeOf(block);
    node.index = node.low = ++counter_;
    node.on_stack = true;
    stack_.push_back(block);
    visits_.push_back({block, 0});
  }

  void VisitFrom(const MachineBasicBlock* entry, uint32_t region, std::vector<Item>& out) {
    Enter(entry);
    while (!visits_.empty()) {
      Visit& visit = visits_.back();
      const MachineBasicBlock* block = visit.block;
      if (visit.next_successor < block->successors().size()) {
        const MachineBasicBlock* successor = block->successors()[visit.next_successor++];
        const Node& other = NodeOf(successor);
        if (other.region != region) continue;
        if (other.index == 0) {
          Enter(successor);
        } else if (other.on_stack) {
          NodeOf(block).low = std::min(NodeOf(block).low, other.index);
        }
        continue;
      }
      visits_.pop_back();
      if (!visits_.empty()) {
        Node& parent = NodeOf(visits_.back().block);
        parent.low = std::min(parent.low, NodeOf(block).low);
      }
      if (NodeOf(block).low == NodeOf(block).index) PopComponent(block, out);
    }
  }

  void PopComponent(const MachineBasicBlock* head, std::vector<Item>& out) {
    const bool is_loop = stack_.back() != head || head->IsSuccessor(head);
    const uint32_t inner = is_loop ? ++num_regions_ : 0;
    while (true) {
      const MachineBasicBlock* block = stack_.back();
      stack_.pop_back();
      Node& node = NodeOf(block);
      node.on_stack = false;
      if (block == head) break;
      node = Node{.region = inner};
    }
    // The head belongs to no region any more.
    NodeOf(head).region = ~uint32_t{0};
    out.push_back({head, inner});
  }

  const MachineFunction& function_;
  std::vector<Node> nodes_;
  std::vector<const MachineBasicBlock*> stack_;
  std::vector<Visit> visits_;
  uint32_t counter_ = 0;
  uint32_t num_regions_ = 0;
};

}  // namespace

std::vector<const MachineBasicBlock*> WeakTopologicalOrder(const MachineFunction& function) {
  return OrderBuilder(function).Run();
}

}  // namespace ptxmir::ptx
