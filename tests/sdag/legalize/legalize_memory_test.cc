// SPDX-License-Identifier: Apache-2.0

// Loads and stores: every type at every alignment, extending and truncating, whole or rejected.

#include "ir/address_space.h"
#include "tests/sdag/legalize/legalize_fixture.h"

namespace ptxmir::sdag {
namespace {

constexpr MVT kTypes[] = {MVT::kI1,    MVT::kI8,     MVT::kI16,    MVT::kI32,    MVT::kI64,   MVT::kI128,  MVT::kF16,
                          MVT::kBF16,  MVT::kF32,    MVT::kF64,    MVT::kV2I1,   MVT::kV3I1,  MVT::kV8I1,  MVT::kV16I1,
                          MVT::kV2I8,  MVT::kV3I8,   MVT::kV4I8,   MVT::kV8I8,   MVT::kV16I8, MVT::kV32I8, MVT::kV2I16,
                          MVT::kV3I16, MVT::kV4I16,  MVT::kV8I16,  MVT::kV16I16, MVT::kV2I32, MVT::kV3I32, MVT::kV4I32,
                          MVT::kV8I32, MVT::kV16I32, MVT::kV2I64,  MVT::kV3I64,  MVT::kV4I64, MVT::kV2F16, MVT::kV3F16,
                          MVT::kV8F16, MVT::kV2BF16, MVT::kV4BF16, MVT::kV2F32,  MVT::kV3F32, MVT::kV4F32, MVT::kV8F32,
                          MVT::kV2F64, MVT::kV4F64};

class MemoryTest : public testing::TestWithParam<const char*> {
 protected:
  using Build = std::function<void(LegalizedKernel&)>;

  // After legalization, the nodes from `build` must change random memory as the nodes from `reference` do.
  void Check(const std::string& name, const Build& build, const Build& reference) {
    const char* features = std::string_view(GetParam()) == "sm_100" ? "+ptx88" : "";
    LegalizedKernel kernel(GetParam(), features), other(GetParam(), features);
    for (LegalizedKernel* each : {&kernel, &other}) {
      each->Input(0, MVT::kV32I32);
      each == &kernel ? build(*each) : reference(*each);
      each->Finish();
    }
    LegalizedKernel::Slots inputs = {values_.Of(MVT::kV32I32)};
    DagEvaluation before, after;
    uint64_t out = 0, out_after = 0;
    const absl::Status meaning = other.Evaluate(inputs, nullptr, before, out);
    ASSERT_TRUE(meaning.ok()) << name << meaning;
    const absl::Status legalized = kernel.Legalize();
    ASSERT_TRUE(legalized.ok()) << name << ": " << legalized;
    ASSERT_EQ(kernel.Flaw(), "") << name << "\n" << kernel.Text();
    const Bits fill = ~Bits(0);
    const absl::Status evaluated = kernel.Evaluate(inputs, &fill, after, out_after);
    std::vector<uint8_t> bytes;
    size_t where = 0;
    // PTX's own 128-bit exchanges cannot be evaluated.
    if (evaluated.code() != absl::StatusCode::kUnimplemented) {
      ASSERT_TRUE(evaluated.ok()) << name << evaluated;
      for (size_t i = 0; i < kernel.num_output_bytes(); ++i) {
        bytes.push_back(after.memory.Bytes(out_after + i, 1)->value);
      }
      EXPECT_TRUE(before.memory.Matches(out, bytes, &where)) << name << " differs at byte " << where << kernel.Text();
    }
    const absl::Status emitted = kernel.SelectAndEmit();
    ASSERT_TRUE(emitted.ok()) << name << emitted;
    bytes = kernel.Run(inputs);
    EXPECT_TRUE(before.memory.Matches(out, bytes, &where)) << name << " differs in machine code at byte " << where;
  }

  // Compares the same nodes before and after.
  void Check(const std::string& name, const Build& build) { Check(name, build, build); }

  EdgeValues values_{7};
};

// The memory that a kernel reads is aligned to 256. At 2^k bytes beyond its start it is aligned to 2^k.
TEST_P(MemoryTest, EveryTypeAtEveryAlignment) {
  for (const MVT type : kTypes) {
    for (unsigned align = 0; align <= 5; ++align) {
      const std::string name = std::string(Name(type)) + " at " + std::to_string(1u << align);
      const uint64_t offset = uint64_t{1} << align;
      Check("load " + name, [&](LegalizedKernel& kernel) {
        SDValue value = kernel.dag().GetLoad({}, type, kernel.dag().EntryToken(), kernel.InPointer(offset),
                                             kernel.MemOperand(MachineMemOperand::kLoad, type, align));
        // Bytes that hold more than an i1 are undefined.
        if (type == MVT::kI1) value = kernel.dag().GetConstant(1, MVT::kI1);
        kernel.Output(value);
      });
      Check("store " + name, [&](LegalizedKernel& kernel) {
        kernel.Output(kernel.dag().GetConstant(0, MVT::kI32));
        const SDValue value = type == MVT::kI1
                                  ? kernel.dag().GetConstant(1, MVT::kI1)
                                  : kernel.dag().GetLoad({}, type, kernel.dag().EntryToken(), kernel.InPointer(64),
                                                         kernel.MemOperand(MachineMemOperand::kLoad, type, 6));
        kernel.Output(kernel.dag().GetConstant(0, MVT::kI32));
        kernel.dag().SetRoot(kernel.dag().GetStore({}, kernel.dag().root(), value, kernel.OutPointer(offset),
                                                   kernel.MemOperand(MachineMemOperand::kStore, type, align)));
      });
    }
  }
}

TEST_P(MemoryTest, ExtendingLoadsAndTruncatingStores) {
  for (const MVT memory : {MVT::kI8, MVT::kI16, MVT::kI32, MVT::kI64}) {
    for (const MVT type : {MVT::kI16, MVT::kI32, MVT::kI64, MVT::kI128}) {
      if (SizeInBits(type) <= SizeInBits(memory)) continue;
      const std::string name = std::string(Name(type)) + " " + std::string(Name(memory));
      for (const unsigned align : {0u, 3u}) {
        for (const LoadExt ext : {LoadExt::kSign, LoadExt::kZero}) {
          Check("load " + name, [&](LegalizedKernel& kernel) {
            kernel.Output(kernel.dag().GetExtLoad(ext, {}, type, kernel.dag().EntryToken(),
                                                  kernel.InPointer(uint64_t{1} << align), memory,
                                                  kernel.MemOperand(MachineMemOperand::kLoad, memory, align)));
          });
        }
        Check("store " + name, [&](LegalizedKernel& kernel) {
          SelectionDAG& dag = kernel.dag();
          const SDValue value = dag.GetLoad({}, type, dag.EntryToken(), kernel.InPointer(0),
                                            kernel.MemOperand(MachineMemOperand::kLoad, type, 6));
          kernel.Output(dag.GetConstant(0, MVT::kI32));
          dag.SetRoot(dag.GetTruncStore({}, dag.root(), value, kernel.OutPointer(uint64_t{1} << align), memory,
                                        kernel.MemOperand(MachineMemOperand::kStore, memory, align)));
        });
      }
    }
  }
  Check("vectors", [&](LegalizedKernel& kernel) {
    SelectionDAG& dag = kernel.dag();
    const SDValue load = dag.GetExtLoad(LoadExt::kSign, {}, MVT::kV4I32, dag.EntryToken(), kernel.InPointer(4),
                                        MVT::kV4I8, kernel.MemOperand(MachineMemOperand::kLoad, MVT::kV4I8, 2));
    kernel.Output(load);
    dag.SetRoot(dag.GetTruncStore({}, dag.root(), load, kernel.OutPointer(32), MVT::kV4I16,
                                  kernel.MemOperand(MachineMemOperand::kStore, MVT::kV4I16, 3)));
    const SDValue floats = dag.GetExtLoad(LoadExt::kAny, {}, MVT::kV2F64, dag.EntryToken(), kernel.InPointer(8),
                                          MVT::kV2F16, kernel.MemOperand(MachineMemOperand::kLoad, MVT::kV2F16, 1));
    dag.SetRoot(dag.GetTruncStore({}, dag.root(), floats, kernel.OutPointer(48), MVT::kV2F32,
                                  kernel.MemOperand(MachineMemOperand::kStore, MVT::kV2F32, 2)));
  });
}

// Integers of any width: the bytes that they occupy, with zeros above.
TEST_P(MemoryTest, OddIntegers) {
  for (const unsigned bits : {3u, 10u, 24u, 40u, 47u, 100u}) {
    const EVT memory = EVT::Integer(bits);
    const unsigned bytes = (bits + 7) / 8;
    const std::string name = "i" + std::to_string(bits);
    const auto number = [&](LegalizedKernel& kernel) {
      const SDValue all = kernel.dag().GetLoad({}, MVT::kI128, kernel.dag().EntryToken(), kernel.InPointer(8),
                                               kernel.MemOperand(MachineMemOperand::kLoad, MVT::kI128, 3));
      return all;
    };
    const auto in_bits = [&](LegalizedKernel& kernel, SDValue value) {
      return kernel.dag().GetNode(isd::kAnd, {}, MVT::kI128,
                                  {value, kernel.dag().GetConstant(LowBits(bits), MVT::kI128)});
    };
    const auto store_bytes = [&](LegalizedKernel& kernel, SDValue value) {
      SelectionDAG& dag = kernel.dag();
      for (unsigned i = 0; i < bytes; ++i) {
        const SDValue shifted = dag.GetNode(isd::kSrl, {}, MVT::kI128, {value, dag.GetConstant(8 * i, MVT::kI32)});
        dag.SetRoot(dag.GetTruncStore({}, dag.root(), shifted, kernel.OutPointer(i), MVT::kI8,
                                      kernel.MemOperand(MachineMemOperand::kStore, MVT::kI8, 0)));
      }
    };
    for (const unsigned align : {0u, 1u, 4u}) {
      Check(
          "store " + name,
          [&](LegalizedKernel& kernel) {
            SelectionDAG& dag = kernel.dag();
            dag.SetRoot(dag.GetTruncStore({}, dag.root(), number(kernel), kernel.OutPointer(0), memory,
                                          kernel.MemOperand(MachineMemOperand::kStore, MVT::kI8, align)));
          },
          [&](LegalizedKernel& kernel) { store_bytes(kernel, in_bits(kernel, number(kernel))); });
      for (const LoadExt ext : {LoadExt::kZero, LoadExt::kSign}) {
        Check(
            "load " + name,
            [&](LegalizedKernel& kernel) {
              kernel.Output(kernel.dag().GetExtLoad(ext, {}, MVT::kI128, kernel.dag().EntryToken(), kernel.InPointer(8),
                                                    memory,
                                                    kernel.MemOperand(MachineMemOperand::kLoad, MVT::kI8, align)));
            },
            [&](LegalizedKernel& kernel) {
              SelectionDAG& dag = kernel.dag();
              kernel.Output(ext == LoadExt::kZero ? in_bits(kernel, number(kernel))
                                                  : dag.GetNode(isd::kSignExtendInReg, {}, MVT::kI128,
                                                                {number(kernel), dag.GetValueType(memory)}));
            });
      }
    }
  }
}

// memcpy, memmove and memset of up to 128 bytes, byte by byte. Source and target overlap.
TEST_P(MemoryTest, MemoryIntrinsics) {
  for (const char* name : {"llvm.memcpy.p0.p0.i64", "llvm.memmove.p0.p0.i64", "llvm.memset.p0.i64"}) {
    const bool is_set = std::string_view(name).substr(0, 11) == "llvm.memset";
    const auto fill = [](LegalizedKernel& kernel) {
      kernel.Output(kernel.dag().GetLoad({}, MVT::kV8I32, kernel.dag().EntryToken(), kernel.InPointer(0),
                                         kernel.MemOperand(MachineMemOperand::kLoad, MVT::kV8I32, 5)));
    };
    for (const uint64_t size : {0, 1, 7, 16, 31}) {
      for (const unsigned align : {0u, 2u, 4u}) {
        Check(
            name + (" " + std::to_string(size)),
            [&](LegalizedKernel& kernel) {
              SelectionDAG& dag = kernel.dag();
              fill(kernel);
              const SDValue second = is_set ? dag.GetConstant(0xa5, MVT::kI8) : kernel.OutPointer(0);
              const MVT type = MVT::kOther;
              const SDValue operands[] = {dag.root(), kernel.OutPointer(16), second, dag.GetConstant(size, MVT::kI64),
                                          dag.GetConstant(0, MVT::kI1)};
              dag.SetRoot(dag.GetIntrinsic(
                  isd::kIntrinsicVoid, name, {}, absl::MakeConstSpan(&type, 1), operands, MVT::kI8,
                  kernel.MemOperand(MachineMemOperand::kLoad | MachineMemOperand::kStore, MVT::kI8, align)));
            },
            [&](LegalizedKernel& kernel) {
              SelectionDAG& dag = kernel.dag();
              fill(kernel);
              std::vector<SDValue> bytes, chains;
              for (uint64_t i = 0; i < size; ++i) {
                bytes.push_back(is_set ? dag.GetConstant(0xa5, MVT::kI8)
                                       : dag.GetLoad({}, MVT::kI8, dag.root(), kernel.OutPointer(i),
                                                     kernel.MemOperand(MachineMemOperand::kLoad, MVT::kI8, 0)));
                chains.push_back(is_set ? dag.root() : bytes.back().Result(1));
              }
              SDValue chain = chains.empty() ? dag.root() : dag.GetTokenFactor({}, chains);
              for (uint64_t i = 0; i < size; ++i) {
                chain = dag.GetStore({}, chain, bytes[i], kernel.OutPointer(16 + i),
                                     kernel.MemOperand(MachineMemOperand::kStore, MVT::kI8, 0));
              }
              dag.SetRoot(chain);
            });
      }
    }
  }
}

// Atomics that become other atomics, on memory that was stored before.
TEST_P(MemoryTest, Atomics) {
  struct Atomic {
    int16_t opcode;
    MVT type;
  };
  std::vector<Atomic> atomics;
  for (const MVT type : {MVT::kI32, MVT::kI64, MVT::kF32, MVT::kF64, MVT::kV2F16, MVT::kV4I8}) {
    atomics.push_back({isd::kAtomicSwap, type});
  }
  for (const MVT type : {MVT::kI32, MVT::kI64}) {
    for (const int16_t opcode : {isd::kAtomicCmpSwap, isd::kAtomicCmpSwapWithSuccess, isd::kAtomicLoadSub,
                                 isd::kAtomicLoadClr, isd::kAtomicLoadAdd}) {
      atomics.push_back({opcode, type});
    }
  }
  atomics.push_back({isd::kAtomicLoadFSub, MVT::kF32});
  for (const MVT type : {MVT::kI8, MVT::kI16, MVT::kF32, MVT::kF64, MVT::kV2F16}) {
    atomics.push_back({isd::kAtomicLoad, type});
    atomics.push_back({isd::kAtomicStore, type});
  }
  if (std::string_view(GetParam()) == "sm_100") atomics.push_back({isd::kAtomicSwap, MVT::kI128});
  for (const Atomic& atomic : atomics) {
    const std::string name = std::string(Desc(atomic.opcode).name) + " " + std::string(Name(atomic.type));
    Check(name, [&](LegalizedKernel& kernel) {
      SelectionDAG& dag = kernel.dag();
      const MVT type = atomic.type;
      const auto input = [&](uint64_t offset) {
        return dag.GetLoad({}, type, dag.EntryToken(), kernel.InPointer(offset),
                           kernel.MemOperand(MachineMemOperand::kLoad, type, 4));
      };
      kernel.Output(input(16));
      std::vector<SDValue> operands = {dag.root(), kernel.OutPointer(0)};
      const bool is_compare = atomic.opcode == isd::kAtomicCmpSwap || atomic.opcode == isd::kAtomicCmpSwapWithSuccess;
      if (is_compare) operands.push_back(input(16));  // equal to the value in memory
      if (atomic.opcode == isd::kAtomicStore) {
        operands.insert(operands.begin() + 1, input(32));
      } else if (atomic.opcode != isd::kAtomicLoad) {
        operands.push_back(input(32));
      }
      std::vector<MVT> types;
      if (atomic.opcode != isd::kAtomicStore) types.push_back(type);
      if (atomic.opcode == isd::kAtomicCmpSwapWithSuccess) types.push_back(MVT::kI1);
      types.push_back(MVT::kOther);
      const SDValue node = dag.GetMemNode(atomic.opcode, {}, types, operands, type, kernel.AtomicOperand(type));
      dag.SetRoot(node.Result(static_cast<unsigned>(types.size() - 1)));
      for (unsigned i = 0; i + 1 < types.size(); ++i) kernel.Output(node.Result(i));
    });
  }
}

INSTANTIATE_TEST_SUITE_P(Subtargets, MemoryTest, testing::Values("sm_52", "sm_80", "sm_100"),
                         [](const testing::TestParamInfo<const char*>& info) { return std::string(info.param); });

std::string Error(LegalizedKernel& kernel) {
  const absl::Status status = kernel.Legalize();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented) << status;
  return std::string(status.message());
}

TEST(MemoryTest, PartsOfVolatileAccessesAreVolatile) {
  for (const unsigned align : {2u, 4u}) {
    LegalizedKernel kernel;
    SelectionDAG& dag = kernel.dag();
    const auto flags = static_cast<uint16_t>(MachineMemOperand::kLoad | MachineMemOperand::kVolatile);
    const SDValue load = dag.GetLoad({}, MVT::kV4F32, dag.EntryToken(), kernel.InPointer(0),
                                     kernel.MemOperand(flags, MVT::kV4F32, align));
    dag.SetRoot(load.Result(1));
    kernel.Output(load);
    EXPECT_TRUE(kernel.Legalize().ok());
    const std::string_view expected =
        align == 4 ? "NVPTXISD::LoadV4<(volatile load (<4 x s32>)" : "(volatile load (s32)";
    EXPECT_NE(kernel.Text().find(expected), std::string::npos) << kernel.Text();
  }
}

TEST(MemoryRefusalTest, LongCopiesNeedALoop) {
  LegalizedKernel kernel;
  SelectionDAG& dag = kernel.dag();
  const MVT type = MVT::kOther;
  const SDValue operands[] = {dag.root(), kernel.OutPointer(0), kernel.InPointer(0), dag.GetConstant(129, MVT::kI64),
                              dag.GetConstant(0, MVT::kI1)};
  dag.SetRoot(
      dag.GetIntrinsic(isd::kIntrinsicVoid, "llvm.memcpy.p0.p0.i64", {}, absl::MakeConstSpan(&type, 1), operands));
  const std::string error = Error(kernel);
  EXPECT_NE(error.find("more than 128 bytes"), std::string::npos) << error;
  EXPECT_NE(error.find("llvm.memcpy.p0.p0.i64"), std::string::npos) << error;
}

// The widest access that the alignment allows is used.
TEST(MemoryShapeTest, VectorsAreAccessedWhole) {
  struct Shape {
    const char* cpu;
    MVT type;
    unsigned align;
    int accesses;
  };
  for (const Shape shape :
       {Shape{"sm_80", MVT::kV4F32, 4, 1}, Shape{"sm_80", MVT::kV4F32, 3, 2}, Shape{"sm_80", MVT::kV4F32, 2, 4},
        Shape{"sm_80", MVT::kV8F16, 4, 1}, Shape{"sm_80", MVT::kV16I8, 4, 1}, Shape{"sm_80", MVT::kI128, 4, 1},
        Shape{"sm_80", MVT::kV8F32, 5, 2}, Shape{"sm_80", MVT::kI32, 0, 4}, Shape{"sm_80", MVT::kV3F32, 4, 2},
        Shape{"sm_80", MVT::kV2I8, 1, 1}}) {
    LegalizedKernel kernel(shape.cpu);
    kernel.Output(kernel.dag().GetLoad({}, shape.type, kernel.dag().EntryToken(), kernel.InPointer(0),
                                       kernel.MemOperand(MachineMemOperand::kLoad, shape.type, shape.align)));
    ASSERT_TRUE(kernel.Legalize().ok());
    int accesses = 0;
    for (const SDNode& node : kernel.dag()) {
      const auto* memory = DynCast<MemSDNode>(&node);
      if (memory == nullptr || !memory->memoperand()->is_load() ||
          memory->memoperand()->address_space == address_space::kParam) {
        continue;
      }
      ++accesses;
    }
    EXPECT_EQ(accesses, shape.accesses) << Name(shape.type) << kernel.Text();
  }
}

}  // namespace
}  // namespace ptxmir::sdag
