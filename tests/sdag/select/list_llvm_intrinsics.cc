// SPDX-License-Identifier: Apache-2.0

// Prints which instructions LLVM selects for each llvm.nvvm.* intrinsic, which intrinsics_test compares the rules with.
// Bazel does not build this, because it needs LLVM's headers. With Debian's llvm-22-dev and clang-22:
//
//     cd tests/sdag/select
//     clang++-22 -std=c++20 -I/usr/lib/llvm-22/include list_llvm_intrinsics.cc -lLLVM-22 -o /tmp/list_intrinsics
//     /tmp/list_intrinsics ../../../ptx/isa/tables/anonymous_names.tsv > llvm22_intrinsics.tsv
//
// For each intrinsic it makes functions that call it with varied operands: each combination of the types of an
// overloaded intrinsic, integers in registers and as constants, and immediates from their range. It compiles them for
// one GPU after the other until one of them has the intrinsic, and reads the opcodes in the MIR after selection. LLVM
// ends the process at the first call that it cannot select, so a child process compiles.

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "llvm/CodeGen/MachineModuleInfo.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetLoweringObjectFile.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Triple.h"

namespace {

constexpr char kHead[] =
    R"(# Which instructions LLVM %s selects for NVPTX intrinsics (those that it selects any for), seen over varied operands,
# for the first of sm_100a, sm_90a, sm_120a, sm_80, sm_103a, sm_110a and sm_60 that has the intrinsic. Nameless
# instructions have the names of ptx/isa. "llvm.nvvm." is left out, and so are the loads, stores and moves around a call.
#
# To remake this file, see list_llvm_intrinsics.cc.
)";
constexpr const char* kTargets[] = {"sm_100a", "sm_90a", "sm_120a", "sm_80", "sm_103a", "sm_110a", "sm_60"};
constexpr char kPrefix[] = "llvm.nvvm.";

// The choices of operand N of a call: a register, or one of the constants.
struct Operand {
  bool has_register = true;
  std::vector<uint64_t> constants;
  size_t size() const { return has_register + constants.size(); }
};

// More combinations than this are not tried: then only one operand at a time differs from the first choice.
constexpr size_t kMostCombinations = 2048;
// No instruction with more integers than this takes constants for some of them.
constexpr size_t kMostVariedIntegers = 5;
// The number of values of an immediate that are tried. A larger range is a number, not a choice between instructions.
constexpr uint64_t kMostImmediates = 8;
constexpr uint64_t kFewImmediates = 2;

std::vector<llvm::Type*> TypesOf(const llvm::Intrinsic::IITDescriptor& descriptor, llvm::LLVMContext& context) {
  using Descriptor = llvm::Intrinsic::IITDescriptor;
  const auto integers = {llvm::Type::getInt8Ty(context), llvm::Type::getInt16Ty(context),
                         llvm::Type::getInt32Ty(context), llvm::Type::getInt64Ty(context)};
  const auto floats = {llvm::Type::getHalfTy(context), llvm::Type::getBFloatTy(context),
                       llvm::Type::getFloatTy(context), llvm::Type::getDoubleTy(context)};
  std::vector<llvm::Type*> types;
  const auto add_pointers = [&] {
    for (unsigned space : {0, 1, 3, 4, 5, 7, 101}) types.push_back(llvm::PointerType::get(context, space));
  };
  const auto add_vector = [&](llvm::Type* element, unsigned count) {
    types.push_back(llvm::FixedVectorType::get(element, count));
  };
  switch (descriptor.getArgumentKind()) {
    case Descriptor::AK_AnyInteger:
      types.insert(types.end(), integers.begin(), integers.end());
      add_vector(llvm::Type::getInt32Ty(context), 4);
      break;
    case Descriptor::AK_AnyFloat:
      types.insert(types.end(), floats.begin(), floats.end());
      add_vector(llvm::Type::getHalfTy(context), 2);
      add_vector(llvm::Type::getBFloatTy(context), 2);
      break;
    case Descriptor::AK_AnyPointer:
      add_pointers();
      break;
    default:
      types.insert(types.end(), integers.begin(), integers.end());
      types.insert(types.end(), floats.begin(), floats.end());
      add_pointers();
      add_vector(llvm::Type::getInt32Ty(context), 4);
      break;
  }
  return types;
}

// Returns the lists of types for which an intrinsic can be declared.
std::vector<std::vector<llvm::Type*>> Overloads(llvm::Intrinsic::ID id, llvm::LLVMContext& context) {
  llvm::SmallVector<llvm::Intrinsic::IITDescriptor> descriptors;
  llvm::Intrinsic::getIntrinsicInfoTableEntries(id, descriptors);
  std::map<unsigned, std::vector<llvm::Type*>> choices;
  for (const auto& descriptor : descriptors) {
    if (descriptor.Kind == llvm::Intrinsic::IITDescriptor::Argument &&
        descriptor.getArgumentKind() != llvm::Intrinsic::IITDescriptor::AK_MatchType) {
      choices[descriptor.getArgumentNumber()] = TypesOf(descriptor, context);
    }
  }
  std::vector<std::vector<llvm::Type*>> overloads = {{}};
  for (const auto& [number, types] : choices) {
    std::vector<std::vector<llvm::Type*>> longer;
    for (const auto& overload : overloads) {
      for (llvm::Type* type : types) {
        longer.push_back(overload);
        longer.back().push_back(type);
      }
    }
    overloads = std::move(longer);
  }
  return overloads;
}

Operand ChoicesOf(llvm::Type* type, const llvm::AttributeSet& attributes) {
  Operand operand;
  operand.has_register = !attributes.hasAttribute(llvm::Attribute::ImmArg);
  if (!type->isIntegerTy()) return operand;
  if (operand.has_register) {
    if (type->getIntegerBitWidth() >= 16) operand.constants = {1};
    return operand;
  }
  uint64_t low = 0, high = type->isIntegerTy(1) ? 2 : kMostImmediates;
  if (const llvm::Attribute range = attributes.getAttribute(llvm::Attribute::Range); range.isValid()) {
    low = range.getRange().getLower().getZExtValue();
    high = range.getRange().getUpper().getZExtValue();
    if (high - low > kMostImmediates) high = low + kFewImmediates;
  }
  for (uint64_t value = low; value < high; ++value) operand.constants.push_back(value);
  return operand;
}

// Returns which choice each call makes for each operand.
std::vector<std::vector<size_t>> Combinations(const std::vector<Operand>& operands) {
  size_t count = 1;
  for (const Operand& operand : operands) count = std::min(count * operand.size(), 2 * kMostCombinations);
  std::vector<std::vector<size_t>> calls = {std::vector<size_t>(operands.size(), 0)};
  for (size_t i = 0; i < operands.size(); ++i) {
    const size_t known = count <= kMostCombinations ? calls.size() : 1;
    for (size_t choice = 1; choice < operands[i].size(); ++choice) {
      for (size_t k = 0; k < known; ++k) {
        calls.push_back(calls[k]);
        calls.back()[i] = choice;
      }
    }
  }
  return calls;
}

// Adds a function that passes its arguments to the intrinsic and returns the result.
void AddCall(llvm::Module& module, llvm::Function* callee, const std::vector<Operand>& operands,
             const std::vector<size_t>& call) {
  llvm::FunctionType* const callee_type = callee->getFunctionType();
  std::vector<llvm::Type*> parameters;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].has_register && call[i] == 0) parameters.push_back(callee_type->getParamType(i));
  }
  auto* const type = llvm::FunctionType::get(callee_type->getReturnType(), parameters, false);
  auto* const function =
      llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, "f" + std::to_string(module.size()), module);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(module.getContext(), "", function));
  std::vector<llvm::Value*> arguments;
  unsigned next = 0;
  for (size_t i = 0; i < operands.size(); ++i) {
    const bool is_register = operands[i].has_register && call[i] == 0;
    arguments.push_back(is_register
                            ? static_cast<llvm::Value*>(function->getArg(next++))
                            : llvm::ConstantInt::get(callee_type->getParamType(i),
                                                     operands[i].constants[call[i] - operands[i].has_register]));
  }
  llvm::Value* const result = builder.CreateCall(callee, arguments);
  type->getReturnType()->isVoidTy() ? builder.CreateRetVoid() : builder.CreateRet(result);
}

// A call with one list of types, compiled for one GPU.
struct Job {
  llvm::Intrinsic::ID id;
  std::string target;
  std::vector<llvm::Type*> overload;
};

// Returns the functions that can be made for a job; an empty list if the intrinsic has no such overload.
std::vector<std::vector<size_t>> Calls(llvm::Module& module, const Job& job, llvm::Function*& callee,
                                       std::vector<Operand>& operands) {
  llvm::FunctionType* const type = llvm::Intrinsic::getType(module.getContext(), job.id, job.overload);
  for (llvm::Type* parameter : type->params()) {
    if (!parameter->isFirstClassType() || parameter->isMetadataTy()) return {};
  }
  callee = llvm::Intrinsic::getOrInsertDeclaration(&module, job.id, job.overload);
  for (unsigned i = 0; i < type->getNumParams(); ++i) {
    operands.push_back(ChoicesOf(type->getParamType(i), callee->getAttributes().getParamAttrs(i)));
  }
  const auto is_varied = [](const Operand& operand) { return operand.has_register && !operand.constants.empty(); };
  if (std::count_if(operands.begin(), operands.end(), is_varied) > static_cast<long>(kMostVariedIntegers)) {
    for (Operand& operand : operands) {
      if (operand.has_register) operand.constants.clear();
    }
  }
  return Combinations(operands);
}

std::unique_ptr<llvm::TargetMachine> MachineFor(const std::string& target) {
  std::string error;
  const llvm::Triple triple("nvptx64-nvidia-cuda");
  const llvm::Target* const nvptx = llvm::TargetRegistry::lookupTarget(triple, error);
  return std::unique_ptr<llvm::TargetMachine>(
      nvptx->createTargetMachine(triple, target, "+ptx90", llvm::TargetOptions(), std::nullopt));
}

// Compiles the calls numbered [first, last) and writes MIR to the file descriptor. Runs in a child process.
void Compile(const Job& job, size_t first, size_t last, int out) {
  llvm::LLVMContext own_context;
  llvm::LLVMContext& context = job.overload.empty() ? own_context : job.overload[0]->getContext();
  llvm::Module module("m", context);
  const std::unique_ptr<llvm::TargetMachine> machine = MachineFor(job.target);
  module.setDataLayout(machine->createDataLayout());
  module.setTargetTriple(machine->getTargetTriple());
  llvm::Function* callee = nullptr;
  std::vector<Operand> operands;
  const std::vector<std::vector<size_t>> calls = Calls(module, job, callee, operands);
  for (size_t i = first; i < std::min(last, calls.size()); ++i) AddCall(module, callee, operands, calls[i]);
  if (llvm::verifyModule(module)) _exit(1);
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream stream(text);
  llvm::legacy::PassManager passes;
  auto* const info = new llvm::MachineModuleInfoWrapperPass(machine.get());  // `passes` owns it
  // As llc does: whoever prints MIR makes no symbols otherwise.
  machine->getObjFileLowering()->Initialize(info->getMMI().getContext(), *machine);
  machine->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::AssemblyFile, true, info);
  passes.run(module);
  std::FILE* const file = fdopen(out, "w");
  std::fwrite(text.data(), 1, text.size(), file);
  std::fclose(file);
  _exit(0);
}

// Returns the MIR of the calls numbered [first, last), or nullopt if LLVM cannot compile them.
std::optional<std::string> CompileInChild(const Job& job, size_t first, size_t last) {
  int ends[2];
  if (pipe(ends) != 0) return std::nullopt;
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    if (std::freopen("/dev/null", "w", stderr) == nullptr) _exit(1);
    Compile(job, first, last, ends[1]);
  }
  close(ends[1]);
  std::string text;
  char buffer[1 << 16];
  for (ssize_t size; (size = read(ends[0], buffer, sizeof buffer)) > 0;) text.append(buffer, size);
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? std::optional(text) : std::nullopt;
}

// Adds the MIR of the calls numbered [first, last). Halves the range to leave out those that LLVM cannot compile.
void CompileAll(const Job& job, size_t first, size_t last, std::vector<std::string>& texts) {
  if (std::optional<std::string> text = CompileInChild(job, first, last); text.has_value()) {
    texts.push_back(std::move(*text));
  } else if (last - first > 1) {
    const size_t middle = first + (last - first) / 2;
    CompileAll(job, first, middle, texts);
    CompileAll(job, middle, last, texts);
  }
}

// Returns the numbers of LLVM's opcodes by their names.
std::map<std::string, unsigned> OpcodeNumbers() {
  std::string error;
  const llvm::Triple triple("nvptx64-nvidia-cuda");
  const llvm::Target* const target = llvm::TargetRegistry::lookupTarget(triple, error);
  const std::unique_ptr<llvm::MCInstrInfo> instrs(target->createMCInstrInfo());
  std::map<std::string, unsigned> numbers;
  for (unsigned i = 0; i < instrs->getNumOpcodes(); ++i) numbers[instrs->getName(i).str()] = i;
  return numbers;
}

// Adds the numbers of the opcodes in MIR.
void AddOpcodes(const std::string& mir, const std::map<std::string, unsigned>& numbers, std::set<unsigned>& opcodes) {
  size_t at = 0;
  while (at < mir.size()) {
    const size_t end = std::min(mir.find('\n', at), mir.size());
    std::string line = mir.substr(at, end - at);
    at = end + 1;
    if (line.compare(0, 4, "    ") != 0) continue;
    if (const size_t equals = line.find(" = "); equals != line.npos) line = line.substr(equals + 3);
    const size_t begin = line.find_first_not_of(' ');
    if (begin == line.npos) continue;
    const auto found = numbers.find(line.substr(begin, line.find(' ', begin) - begin));
    if (found != numbers.end()) opcodes.insert(found->second);
  }
}

// Returns true for what passes arguments and results: the last five are for predicates and 8-bit integers.
bool IsAroundCall(const std::string& name) {
  static const char* const kHeads[] = {"LD_i",  "LDV_i", "ST_i",        "STV_i",
                                       "MOV_B", "MOV_F", "MOV32_PARAM", "MOV64_PARAM"};
  static const std::set<std::string> kNames = {"COPY",        "IMPLICIT_DEF", "Return",     "PHI",       "AND_b16ri",
                                               "CVT_u32_u16", "SELP_b16ii",   "SELP_b32ii", "SETP_i16ri"};
  return kNames.count(name) != 0 || std::any_of(std::begin(kHeads), std::end(kHeads), [&](const char* head) {
           return name.compare(0, std::char_traits<char>::length(head), head) == 0;
         });
}

std::map<std::string, std::string> ReadOurNames(const char* path) {
  std::map<std::string, std::string> names;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    const size_t tab = line.find('\t');
    if (line.empty() || line[0] == '#' || tab == line.npos) continue;
    names[line.substr(tab + 1)] = line.substr(0, tab);
  }
  return names;
}

std::set<unsigned> OpcodesOf(llvm::Intrinsic::ID id, const std::map<std::string, unsigned>& numbers) {
  for (const char* target : kTargets) {
    llvm::LLVMContext context;
    std::vector<std::string> texts;
    for (const std::vector<llvm::Type*>& overload : Overloads(id, context)) {
      const Job job{id, target, overload};
      llvm::Module module("m", context);
      llvm::Function* callee = nullptr;
      std::vector<Operand> operands;
      const size_t count = Calls(module, job, callee, operands).size();
      if (count != 0) CompileAll(job, 0, count, texts);
    }
    std::set<unsigned> opcodes;
    for (const std::string& text : texts) AddOpcodes(text, numbers, opcodes);
    if (!opcodes.empty()) return opcodes;
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s ANONYMOUS_NAMES.tsv [INTRINSIC...]\n", argv[0]);
    return 2;
  }
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
  const char* const options[] = {argv[0], "-stop-after=finalize-isel", "-simplify-mir"};
  llvm::cl::ParseCommandLineOptions(3, options);
  const std::map<std::string, std::string> our_names = ReadOurNames(argv[1]);
  const std::map<std::string, unsigned> numbers = OpcodeNumbers();
  std::map<unsigned, std::string> names;
  for (const auto& [name, number] : numbers) names[number] = name;
  std::printf(kHead, LLVM_VERSION_STRING);
  std::map<std::string, llvm::Intrinsic::ID> intrinsics;
  for (unsigned id = 1; id < llvm::Intrinsic::num_intrinsics; ++id) {
    const std::string name = llvm::Intrinsic::getBaseName(id).str();
    if (name.rfind(kPrefix, 0) == 0) intrinsics[name.substr(sizeof kPrefix - 1)] = id;
  }
  for (const auto& [name, id] : intrinsics) {
    if (argc > 2 && std::find(argv + 2, argv + argc, name) == argv + argc) continue;
    std::string line;
    const std::set<unsigned> opcodes = OpcodesOf(id, numbers);
    for (const unsigned opcode : opcodes) {
      const std::string& llvm_name = names[opcode];
      if (IsAroundCall(llvm_name)) continue;
      const auto ours = our_names.find(llvm_name);
      line += (line.empty() ? "\t" : " ") + (ours == our_names.end() ? llvm_name : ours->second);
    }
    if (!line.empty()) std::printf("%s%s\n", name.c_str(), line.c_str());
    std::fflush(stdout);
  }
}
