#include "ptx/interpreter/control.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "mir/str_cat.h"
#include "ptx/interpreter/async_copies.h"
#include "ptx/interpreter/builtins.h"
#include "ptx/interpreter/grid.h"
#include "ptx/interpreter/tensor_operations.h"
#include "ptx/interpreter/warp.h"

namespace ptxmir::ptx::control {
namespace {

uint32_t Component(const Dim3& dim, unsigned axis) { return axis == 0 ? dim.x : axis == 1 ? dim.y : dim.z; }

const LaunchConfig& Config(const Warp& warp) { return warp.cta().grid().config(); }
uint64_t Steps(const Warp& warp) { return warp.cta().grid().steps; }

using Reader = uint64_t (*)(const Warp& warp, unsigned lane);

template <unsigned kAxis>
uint64_t ThreadIndex(const Warp& warp, unsigned lane) {
  const Dim3& block = Config(warp).block;
  const unsigned thread = warp.thread(lane);
  return kAxis == 0 ? thread % block.x : kAxis == 1 ? thread / block.x % block.y : thread / block.x / block.y;
}
template <unsigned kAxis>
uint64_t BlockShape(const Warp& warp, unsigned) {
  return Component(Config(warp).block, kAxis);
}
template <unsigned kAxis>
uint64_t BlockIndex(const Warp& warp, unsigned) {
  return Component(warp.cta().index(), kAxis);
}
template <unsigned kAxis>
uint64_t GridShape(const Warp& warp, unsigned) {
  return Component(Config(warp).grid, kAxis);
}
template <unsigned kAxis>
uint64_t ClusterIndex(const Warp& warp, unsigned) {
  return Component(warp.cta().index(), kAxis) / Component(warp.cta().cluster().shape(), kAxis);
}
template <unsigned kAxis>
uint64_t NumClusters(const Warp& warp, unsigned) {
  return Component(Config(warp).grid, kAxis) / Component(warp.cta().cluster().shape(), kAxis);
}
template <unsigned kAxis>
uint64_t IndexInCluster(const Warp& warp, unsigned) {
  return Component(warp.cta().index(), kAxis) % Component(warp.cta().cluster().shape(), kAxis);
}
template <unsigned kAxis>
uint64_t ClusterShape(const Warp& warp, unsigned) {
  return Component(warp.cta().cluster().shape(), kAxis);
}

struct SpecialRegister {
  std::string_view name;
  Reader read;
};

// Clocks count steps of the interpreter.
constexpr SpecialRegister kSpecialRegisters[] = {
    {"%tid.x", ThreadIndex<0>},
    {"%tid.y", ThreadIndex<1>},
    {"%tid.z", ThreadIndex<2>},
    {"%ntid.x", BlockShape<0>},
    {"%ntid.y", BlockShape<1>},
    {"%ntid.z", BlockShape<2>},
    {"%ctaid.x", BlockIndex<0>},
    {"%ctaid.y", BlockIndex<1>},
    {"%ctaid.z", BlockIndex<2>},
    {"%nctaid.x", GridShape<0>},
    {"%nctaid.y", GridShape<1>},
    {"%nctaid.z", GridShape<2>},
    {"%clusterid.x", ClusterIndex<0>},
    {"%clusterid.y", ClusterIndex<1>},
    {"%clusterid.z", ClusterIndex<2>},
    {"%nclusterid.x", NumClusters<0>},
    {"%nclusterid.y", NumClusters<1>},
    {"%nclusterid.z", NumClusters<2>},
    {"%cluster_ctaid.x", IndexInCluster<0>},
    {"%cluster_ctaid.y", IndexInCluster<1>},
    {"%cluster_ctaid.z", IndexInCluster<2>},
    {"%cluster_nctaid.x", ClusterShape<0>},
    {"%cluster_nctaid.y", ClusterShape<1>},
    {"%cluster_nctaid.z", ClusterShape<2>},
    {"%cluster_ctarank", [](const Warp& warp, unsigned) -> uint64_t { return warp.cta().rank(); }},
    {"%cluster_nctarank", [](const Warp& warp, unsigned) { return warp.cta().cluster().shape().Count(); }},
    {"%is_explicit_cluster",
     [](const Warp& warp, unsigned) -> uint64_t { return warp.cta().cluster().shape().Count() > 1; }},
    {"%laneid", [](const Warp&, unsigned lane) -> uint64_t { return lane; }},
    {"%warpid", [](const Warp& warp, unsigned) -> uint64_t { return warp.number(); }},
    {"%nwarpid", [](const Warp& warp, unsigned) -> uint64_t { return warp.cta().warps().size(); }},
    {"%smid", [](const Warp&, unsigned) -> uint64_t { return 0; }},
    {"%nsmid", [](const Warp&, unsigned) -> uint64_t { return 1; }},
    {"%gridid", [](const Warp&, unsigned) -> uint64_t { return 0; }},
    {"%lanemask_eq", [](const Warp&, unsigned lane) -> uint64_t { return uint64_t{1} << lane; }},
    {"%lanemask_le", [](const Warp&, unsigned lane) { return (uint64_t{2} << lane) - 1; }},
    {"%lanemask_lt", [](const Warp&, unsigned lane) { return (uint64_t{1} << lane) - 1; }},
    {"%lanemask_ge", [](const Warp&, unsigned lane) { return ~uint64_t{0} << lane; }},
    {"%lanemask_gt", [](const Warp&, unsigned lane) { return ~uint64_t{1} << lane; }},
    {"%clock", [](const Warp& warp, unsigned) { return Steps(warp); }},
    {"%clock_hi", [](const Warp& warp, unsigned) { return Steps(warp) >> 32; }},
    {"%clock64", [](const Warp& warp, unsigned) { return Steps(warp); }},
    {"%globaltimer", [](const Warp& warp, unsigned) { return Steps(warp); }},
    {"%globaltimer_lo", [](const Warp& warp, unsigned) { return Steps(warp); }},
    {"%globaltimer_hi", [](const Warp& warp, unsigned) { return Steps(warp) >> 32; }},
    {"%dynamic_smem_size", [](const Warp& warp, unsigned) -> uint64_t { return Config(warp).dynamic_shared_bytes; }},
    {"%envreg1", [](const Warp& warp, unsigned) { return warp.grid().program().grid_workspace >> 32; }},
    {"%envreg2", [](const Warp& warp, unsigned) { return warp.grid().program().grid_workspace & 0xffffffff; }},
    {"%total_smem_size", [](const Warp& warp, unsigned) { return warp.cta().shared_size(); }},
    {"%aggr_smem_size", [](const Warp& warp, unsigned) { return warp.cta().shared_size(); }},
};
// What else there is reads as 0: fourth components, performance counters, other environment registers.
constexpr uint32_t kZeroRegister = std::size(kSpecialRegisters);

}  // namespace

std::optional<uint32_t> SpecialRegisterId(std::string_view name) {
  for (uint32_t i = 0; i < std::size(kSpecialRegisters); ++i) {
    if (kSpecialRegisters[i].name == name) return i;
  }
  if (name.starts_with("%pm") || name.starts_with("%envreg") || name.starts_with("%reserved") ||
      (name.ends_with(".w") && SpecialRegisterId(StrCat(name.substr(0, name.size() - 1), "x")).has_value())) {
    return kZeroRegister;
  }
  return std::nullopt;
}

StepResult ReadSpecialRegister(Warp& warp, const DecodedInstr& instr) {
  ForEachLane(warp.active(), [&](unsigned lane) {
    const uint64_t value = instr.params.a == kZeroRegister ? 0 : kSpecialRegisters[instr.params.a].read(warp, lane);
    warp.Write(instr, 0, lane, {value, 0});
  });
  return StepResult::kNext;
}

StepResult Jump(Warp& warp, const DecodedInstr& instr) {
  warp.grid().counts().branches += static_cast<uint64_t>(std::popcount(warp.active()));
  warp.JumpTo(instr.target);
  return StepResult::kJumped;
}

StepResult JumpThroughTable(Warp& warp, const DecodedInstr& instr) {
  const std::vector<uint32_t>& table = warp.code().jump_tables[instr.target];
  LaneMask lanes = warp.active();
  const unsigned first = FirstLane(lanes);
  uint64_t chosen = 0;
  LaneMask together = 0;
  for (const unsigned lane : Lanes(lanes)) {
    const LaneValue index = warp.Read(instr, 0, lane);
    if (index.undefined != 0) {
      return warp.Fail(instr, FaultKind::kUndefinedBranch, lane, "the index of a jump table is undefined",
                       warp.DescribeOrigin(instr, 0));
    }
    if (index.value >= table.size()) {
      return warp.Fail(instr, FaultKind::kOutOfBounds, lane,
                       StrCat("index ", index.value, " of a jump table with ", table.size(), " entries"));
    }
    if (lane == first) chosen = index.value;
    if (index.value == chosen) together |= LaneMask{1} << lane;
  }
  warp.grid().counts().branches += static_cast<uint64_t>(std::popcount(together));
  // The other lanes stay and jump next.
  if (together != lanes) {
    ++warp.grid().counts().divergent_branches;
    warp.SplitOff(together, /*waits=*/false);
  }
  warp.JumpTo(table[chosen]);
  return StepResult::kJumped;
}

namespace {

// The address that the lanes of `*lanes` call; reduces them to those that call the same as the first.
bool CalledAddress(Warp& warp, const DecodedInstr& instr, LaneMask* lanes, uint64_t* address) {
  LaneMask together = 0;
  for (const unsigned lane : Lanes(*lanes)) {
    const LaneValue value = warp.Read(instr, 0, lane);
    if (value.undefined != 0) {
      warp.Fail(instr, FaultKind::kUndefinedBranch, lane, "the address that is called is undefined",
                warp.DescribeOrigin(instr, 0));
      return false;
    }
    if (together == 0) *address = value.value;
    if (value.value == *address) together |= LaneMask{1} << lane;
  }
  *lanes = together;
  return true;
}

// Copies the arguments of a call to the parameters in the callee's frame.
void PassArguments(Warp& warp, const Frame& caller, const CallSite& site, Frame& callee, LaneMask lanes) {
  const size_t count = std::min(site.arguments.size(), callee.code->parameters.size());
  ForEachLane(lanes, [&](unsigned lane) {
    for (size_t i = 0; i < count; ++i) {
      const ParameterSlot& from = site.arguments[i];
      const ParameterSlot& to = callee.code->parameters[i];
      // A small integer is passed as 32 bits; the parameter has room for them.
      const uint32_t size = std::min(from.size, std::max<uint32_t>(to.size, 4));
      const size_t at = size_t{lane} * caller.code->outgoing_size + from.offset;
      warp.WriteLocal(lane, callee.local_base + to.offset, size, caller.outgoing.data() + at,
                      caller.outgoing_undefined.data() + at);
    }
  });
}

}  // namespace

StepResult Call(Warp& warp, const DecodedInstr& instr) {
  const CallSite& site = warp.code().call_sites[instr.target];
  GlobalId function = site.function;
  if (site.callee == CallSite::Callee::kIndirect) {
    LaneMask lanes = warp.active();
    uint64_t address = 0;
    if (!CalledAddress(warp, instr, &lanes, &address)) return StepResult::kFault;
    if (address < kFunctionWindow || address >= kFunctionWindow + kWindowSize || address % 16 != 0) {
      return warp.Fail(instr, FaultKind::kOutOfBounds, FirstLane(lanes), "the address that is called is no function's");
    }
    function = static_cast<GlobalId>((address - kFunctionWindow) / 16);
    if (lanes != warp.active()) {
      // The other lanes stay and call next.
      const LaneMask others = warp.active() & ~lanes;
      warp.SplitOff(~others, /*waits=*/false);
    }
  }
  const DecodedFunction* code =
      site.callee == CallSite::Callee::kBuiltin ? nullptr : warp.grid().program().Code(function);
  if (code == nullptr) {
    const std::string_view name =
        site.callee == CallSite::Callee::kIndirect ? warp.grid().program().FunctionName(function) : site.name;
    return CallBuiltin(warp, instr, site, name);
  }
  Frame& caller = warp.frame();
  const LaneMask lanes = warp.active();
  Frame* callee = warp.PushFrame(*code, &site);
  if (callee == nullptr) {
    return warp.Fail(instr, FaultKind::kTrap, FirstLane(lanes), "the stack is exhausted");
  }
  PassArguments(warp, caller, site, *callee, lanes);
  // What it returns is undefined until it is written.
  if (site.result.has_value()) {
    ForEachLane(lanes, [&](unsigned lane) {
      const size_t at = size_t{lane} * caller.code->outgoing_size + site.result->offset;
      std::fill_n(caller.outgoing_undefined.begin() + static_cast<ptrdiff_t>(at), site.result->size, 0xff);
    });
  }
  return StepResult::kJumped;
}

StepResult Return(Warp& warp, const DecodedInstr& instr) {
  if (warp.frame().parent == nullptr) return Exit(warp, instr);
  warp.ReturnLanes();
  return StepResult::kJumped;
}

StepResult Exit(Warp& warp, const DecodedInstr& instr) {
  for (const unsigned lane : Lanes(warp.active())) {
    if (!FinishThreadCopies(warp, lane)) return StepResult::kFault;
  }
  if (!CheckTensorMemoryIsFree(warp, instr)) return StepResult::kFault;
  warp.ExitLanes();
  return StepResult::kJumped;
}

StepResult Trap(Warp& warp, const DecodedInstr& instr) {
  return warp.Fail(instr, FaultKind::kTrap, FirstLane(warp.active()), "the program has trapped");
}

StepResult Nothing(Warp&, const DecodedInstr&) { return StepResult::kNext; }

StepResult GiveWay(Warp& warp, const DecodedInstr&) {
  warp.GiveWay();
  return StepResult::kJumped;
}

StepResult Unsupported(Warp& warp, const DecodedInstr& instr) {
  return warp.Fail(instr, FaultKind::kUnsupported, FirstLane(warp.active()), warp.code().messages[instr.target]);
}

StepResult Copy(Warp& warp, const DecodedInstr& instr) {
  warp.CopyRow(instr);
  return StepResult::kNext;
}

StepResult Not(Warp& warp, const DecodedInstr& instr) {
  ForEachLane(warp.active(), [&](unsigned lane) {
    const LaneValue value = warp.Read(instr, 1, lane);
    warp.Write(instr, 0, lane, {value.value ^ 1, value.undefined});
    if (value.undefined != 0) warp.PropagateOrigin(instr, 1, 0);
  });
  return StepResult::kNext;
}

StepResult Undefine(Warp& warp, const DecodedInstr& instr) {
  const OriginId origin = warp.NewOrigin(instr, "it was given no value by IMPLICIT_DEF");
  for (unsigned i = 0; i < instr.num_results; ++i) {
    ForEachLane(warp.active(), [&](unsigned lane) { warp.Write(instr, i, lane, {0, ~uint64_t{0}}); });
    warp.SetOrigin(instr, i, origin);
  }
  return StepResult::kNext;
}

StepResult FrameAddress(Warp& warp, const DecodedInstr& instr) {
  const uint64_t window = instr.params.b != 0 ? kLocalWindow : 0;
  const uint64_t address = window + warp.frame().local_base + static_cast<int32_t>(instr.params.a);
  ForEachLane(warp.active(), [&](unsigned lane) { warp.Write(instr, 0, lane, {address, 0}); });
  return StepResult::kNext;
}

namespace {

StepResult SetLifetime(Warp& warp, const DecodedInstr& instr, bool begins) {
  const DecodedFunction::StackSlot& object = warp.code().objects[instr.target];
  warp.SetAccessible(warp.frame().local_base + object.offset, object.size, warp.active(), begins);
  return StepResult::kNext;
}

}  // namespace

StepResult LifetimeStart(Warp& warp, const DecodedInstr& instr) { return SetLifetime(warp, instr, true); }
StepResult LifetimeEnd(Warp& warp, const DecodedInstr& instr) { return SetLifetime(warp, instr, false); }

}  // namespace ptxmir::ptx::control
