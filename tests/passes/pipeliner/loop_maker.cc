// SPDX-License-Identifier: Apache-2.0

#include "tests/passes/pipeliner/loop_maker.h"

#include "base/str_cat.h"

namespace ptxmir::testing {

std::string LoopMaker::NewRegister() { return StrCat("%", next_register_++); }

std::string LoopMaker::Def(std::string_view reg_class, std::string_view what) {
  const std::string name = NewRegister();
  StrAppend(&text_, "    ", name, ":", reg_class, " = ", what, "\n");
  return name;
}

void LoopMaker::MakeEntry() {
  const std::string p = Def("b64", "LD_i64 0, 0, 101, 3, 64, -1, &k_param_0, 0 :: (load (s64), addrspace 101)");
  const std::string q = Def("b64", "LD_i64 0, 0, 101, 3, 64, -1, &k_param_1, 0 :: (load (s64), addrspace 101)");
  tid_ = Def("b32", "INT_PTX_SREG_TID_x");
  out_ = Def("b64", StrCat("MAD_WIDE_U32rir ", tid_, ", 256, ", q));
  // Each thread has its own part of the buffer.
  const std::string own = Def("b64", StrCat("MAD_WIDE_U32rir ", tid_, ", 1024, ", p));
  bases_ = {Def("b64", StrCat("ADD64ri ", own, ", 512"))};
  bases_.push_back(Def("b64", StrCat("ADD64ri ", bases_[0], ", ", 4 * Number(6))));
  invariants_ = {Def("b32", "MOV_B32_i 3"), Def("b32", StrCat("ADD32ri ", tid_, ", 7"))};
  counting_ = Number(4);
  const uint32_t starts[] = {num_iterations_, 0, 5, 1};
  counter_start_ = Def("b32", StrCat("MOV_B32_i ", starts[counting_]));
  text_ += "    GOTO %bb.1\n";
}

void LoopMaker::MakePhis() {
  const auto add = [&](std::string_view reg_class, const std::string& start) -> std::string {
    phis_.push_back({NewRegister(), std::string(reg_class), start, ""});
    return phis_.back().reg;
  };
  counter_ = add("b32", counter_start_);
  for (uint64_t i = 1 + Number(2); i > 0; --i) pointers_.push_back(add("b64", Pick(bases_)));
  for (uint64_t i = 1 + Number(3); i > 0; --i) values_.push_back(add("b32", Pick(invariants_)));
}

void LoopMaker::MakeAccess() {
  const std::string& pointer = Pick(pointers_);
  const auto offset = static_cast<int64_t>(4 * Number(12)) - 24;
  if (OneIn(3)) {
    StrAppend(&text_, "    ST_i32 ", Pick(values_), ", 0, 0, 1, 32, ", pointer, ", ", offset,
              " :: (store (s32), addrspace 1)\n");
    return;
  }
  values_.push_back(
      Def("b32", StrCat("LD_i32 0, 0, 1, 3, 32, -1, ", pointer, ", ", offset, " :: (load (s32), addrspace 1)")));
}

void LoopMaker::MakeArithmetic() {
  const std::string a = Pick(values_);
  const std::string b = OneIn(4) ? Pick(invariants_) : Pick(values_);
  switch (Number(4)) {
    case 0:
      values_.push_back(Def("b32", StrCat("ADD32rr ", a, ", ", b)));
      return;
    case 1:
      values_.push_back(Def("b32", StrCat("MAD_LO_S32rir ", a, ", 5, ", b)));
      return;
    case 2:
      values_.push_back(Def("b32", StrCat("XOR_b32rr ", a, ", ", b)));
      return;
    default:
      values_.push_back(Def("b32", StrCat("MULT32rr ", a, ", ", b)));
  }
}

// Returns the counter of the next iteration, and sets the condition.
std::string LoopMaker::MakeCondition() {
  continues_if_taken_ = OneIn(2);
  const auto compare = [&](const std::string& counter, uint64_t end, int mode, int inverse) {
    more_ = Def("b1", StrCat("SETP_i32ri ", counter, ", ", end, ", ", continues_if_taken_ ? mode : inverse));
    return counter;
  };
  constexpr int kEq = 0, kNe = 1, kLt = 2, kGe = 5;
  switch (counting_) {
    case 0:
      return compare(Def("b32", StrCat("ADD32ri ", counter_, ", -1")), 0, kNe, kEq);
    case 1:
      return compare(Def("b32", StrCat("nsw ADD32ri ", counter_, ", 1")), num_iterations_, kLt, kGe);
    case 2:
      return compare(Def("b32", StrCat("ADD32ri ", counter_, ", 3")), 5 + 3 * num_iterations_, kNe, kEq);
    default:
      return compare(Def("b32", StrCat("SHL32_ri ", counter_, ", 1")), uint64_t{1} << num_iterations_, kNe, kEq);
  }
}

void LoopMaker::MakeBody() {
  std::vector<std::string> next_pointers;
  for (const std::string& pointer : pointers_) next_pointers.push_back(pointer);
  const int64_t steps[] = {4, 8, -4, 12};
  const int64_t step = steps[Number(4)];
  for (std::string& next : next_pointers) {
    next = Def("b64", StrCat("ADD64ri ", next, ", ", OneIn(4) ? steps[Number(4)] : step));
  }
  for (uint64_t i = 4 + Number(8); i > 0; --i) {
    if (OneIn(2)) {
      MakeAccess();
    } else {
      MakeArithmetic();
    }
  }
  size_t i = 0;
  for (Phi& phi : phis_) {
    if (phi.reg == counter_) continue;
    if (phi.reg_class == "b64") {
      phi.next = next_pointers[i++];
    } else {
      // Sometimes the PHI itself, another PHI, or a value from before the loop.
      phi.next = OneIn(8) ? Pick(invariants_) : Pick(values_);
      if (phi.next == phi.reg) phi.next = values_.back();
    }
  }
}

std::string LoopMaker::MakeLoop() {
  const std::string before = std::move(text_);
  text_.clear();
  MakePhis();
  MakeBody();
  phis_.front().next = MakeCondition();
  const std::string body = std::move(text_);
  std::string header = "  bb.1:\n    successors: %bb.1(0x7c000000), %bb.2(0x04000000)\n";
  for (const Phi& phi : phis_) {
    StrAppend(&header, "    ", phi.reg, ":", phi.reg_class, " = PHI ", phi.start, ", %bb.0, ", phi.next, ", %bb.1\n");
  }
  return StrCat(before, header, body);
}

std::string LoopMaker::Make() {
  MakeEntry();
  text_ = MakeLoop();
  StrAppend(&text_, "    CBranch ", more_,
            continues_if_taken_ ? ", %bb.1\n    GOTO %bb.2\n" : ", %bb.2\n    GOTO %bb.1\n", "  bb.2:\n");
  // Values that the loop computed, and those of some PHIs in its last iteration.
  std::vector<std::string> live_outs = {values_.back(), Pick(values_), Pick(values_)};
  for (size_t i = 0; i < live_outs.size(); ++i) {
    StrAppend(&text_, "    ST_i32 ", live_outs[i], ", 0, 0, 1, 32, ", out_, ", ", 4 * i,
              " :: (store (s32), addrspace 1)\n");
  }
  StrAppend(&text_, "    ST_i32 ", counter_, ", 0, 0, 1, 32, ", out_,
            ", 16 :: (store (s32), addrspace 1)\n    Return\n");
  return StrCat(
      "--- |\n  target triple = \"nvptx64-nvidia-cuda\"\n"
      "  define ptx_kernel void @k(ptr %p, ptr %q) \"target-cpu\"=\"sm_80\" {\n    ret void\n  }\n...\n"
      "---\nname: k\ntracksRegLiveness: true\nbody: |\n  bb.0:\n",
      text_, "...\n");
}

}  // namespace ptxmir::testing
