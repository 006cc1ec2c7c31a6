// SPDX-License-Identifier: Apache-2.0

#include "ptx/interpreter/semantics/control.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "base/str_cat.h"
#include "ptx/interpreter/code/special_registers.h"
#include "ptx/interpreter/exec/async_copies.h"
#include "ptx/interpreter/exec/grid.h"
#include "ptx/interpreter/exec/tensor_operations.h"
#include "ptx/interpreter/exec/warp.h"
#include "ptx/interpreter/semantics/builtins.h"

namespace ptxmir::ptx::control {
namespace {

uint64_t Component(const Dim3& dim, unsigned axis) { return axis == 0 ? dim.x : axis == 1 ? dim.y : dim.z; }

uint64_t ThreadIndex(const Dim3& block, unsigned thread, unsigned axis) {
  return axis == 0 ? thread % block.x : axis == 1 ? thread / block.x % block.y : thread / block.x / block.y;
}

// Returns the value of a special register.
uint64_t SpecialRegisterValue(const Warp& warp, SpecialRegister::Kind kind, unsigned axis, unsigned lane) {
  using Kind = SpecialRegister::Kind;
  const LaunchConfig& config = warp.grid().config();
  const Dim3& cluster = warp.cta().cluster().shape();
  const Dim3& index = warp.cta().index();
  const uint64_t bit = uint64_t{1} << lane;
  switch (kind) {
    case Kind::kTid:
      return ThreadIndex(config.block, warp.thread(lane), axis);
    case Kind::kNtid:
      return Component(config.block, axis);
    case Kind::kCtaid:
      return Component(index, axis);
    case Kind::kNctaid:
      return Component(config.grid, axis);
    case Kind::kClusterid:
      return Component(index, axis) / Component(cluster, axis);
    case Kind::kNclusterid:
      return Component(config.grid, axis) / Component(cluster, axis);
    case Kind::kClusterCtaid:
      return Component(index, axis) % Component(cluster, axis);
    case Kind::kClusterNctaid:
      return Component(cluster, axis);
    case Kind::kClusterCtarank:
      return warp.cta().rank();
    case Kind::kClusterNctarank:
      return cluster.Count();
    case Kind::kIsExplicitCluster:
      return cluster.Count() > 1 ? 1 : 0;
    case Kind::kLaneid:
      return lane;
    case Kind::kWarpid:
      return warp.number();
    case Kind::kNwarpid:
      return warp.cta().warps().size();
    case Kind::kSmid:
      return 0;
    case Kind::kNsmid:
      return 1;
    case Kind::kLanemaskEq:
      return bit;
    case Kind::kLanemaskLe:
      return 2 * bit - 1;
    case Kind::kLanemaskLt:
      return bit - 1;
    case Kind::kLanemaskGe:
      return ~(bit - 1);
    case Kind::kLanemaskGt:
      return ~(2 * bit - 1);
    case Kind::kClock:
      return warp.clock();
    case Kind::kClockHi:
      return warp.clock() >> 32;
    case Kind::kDynamicSharedSize:
      return config.dynamic_shared_bytes;
    case Kind::kTotalSharedSize:
      return warp.cta().shared_size();
    case Kind::kEnvreg1:
      return warp.grid().program().grid_workspace >> 32;
    case Kind::kEnvreg2:
      return warp.grid().program().grid_workspace & 0xffffffff;
    case Kind::kGridid:
    case Kind::kZero:
      return 0;
  }
  return 0;
}

}  // namespace

StepResult ReadSpecialRegister(Warp& warp, const DecodedInstr& instr) {
  using Kind = SpecialRegister::Kind;
  const auto kind = static_cast<Kind>(instr.params.a);
  if (kind == Kind::kClock || kind == Kind::kClockHi) warp.AdvanceClock();
  for (const unsigned lane : Lanes(warp.active())) {
    warp.Write(instr, 0, lane, {SpecialRegisterValue(warp, kind, instr.params.b, lane), 0});
  }
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
  // The other lanes stay here and jump next.
  if (together != lanes) {
    ++warp.grid().counts().divergent_branches;
    warp.SplitOff(together, /*waits=*/false);
  }
  warp.JumpTo(table[chosen]);
  return StepResult::kJumped;
}

namespace {

// Returns in `address` the function that the first of `*lanes` calls, and reduces `*lanes` to those that call the
// same one.
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
      // A small integer is passed as 32 bits, and the parameter has room for them.
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
      // The other lanes stay here and call next.
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
  // The result is undefined until it is written.
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
