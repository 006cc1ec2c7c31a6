// SPDX-License-Identifier: Apache-2.0

#include "tests/ptx/interpreter/corpus/kernel_fixture.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <utility>

#include "base/diagnostics.h"
#include "mir/code/machine_function.h"
#include "mir/text/mir_reader.h"
#include "passes/pipeline/pipeline.h"
#include "passes/run/pipeline_runner.h"
#include "ptx/interpreter/create_device.h"
#include "ptx/target/ptx_target.h"
#include "tools/run/kernel_name.h"

namespace ptxmir::ptx {
namespace {

struct StageInfo {
  std::string_view name;
  std::string_view stop_after;  // a pass of the -O0 pipeline; empty: nothing runs
};
constexpr StageInfo kStages[] = {
    {"as read", ""},
    {"out of SSA form", "twoaddressinstruction"},
    {"after the last pass", "stack-frame-layout"},
};

// Returns the pass after which the file was made, according to the manifest, or nullopt if that is finalize-isel.
std::optional<PassPosition> MadeAfter(const std::string& unit) {
  std::ifstream manifest("tests/corpus/manifest.tsv");
  for (std::string line; std::getline(manifest, line);) {
    std::istringstream columns(line);
    std::string name, arch, features, stop_after;
    std::getline(columns, name, '\t');
    std::getline(columns, arch, '\t');
    std::getline(columns, features, '\t');
    std::getline(columns, stop_after, '\t');
    if (name == unit && stop_after != "-") return PassPosition{stop_after};
  }
  return std::nullopt;
}

// Returns null if an error was reported. The test then fails.
std::unique_ptr<Module> LoadStage(const std::string& unit, const StageInfo& stage) {
  const absl::StatusOr<std::shared_ptr<const SourceBuffer>> buffer =
      SourceBuffer::FromFile(StrCat("tests/corpus/", unit, ".mir"));
  if (!buffer.ok()) {
    ADD_FAILURE() << buffer.status();
    return nullptr;
  }
  DiagnosticEngine diagnostics;
  std::unique_ptr<Module> module = ReadMir(*buffer, PtxTargetInfo(), diagnostics);
  if (module != nullptr && !stage.stop_after.empty()) {
    PipelineOptions options;
    options.opt_level = 0;
    options.start_after = MadeAfter(unit);
    options.stop_after = PassPosition{std::string(stage.stop_after)};
    // A file that was made later than the stage is used as it is.
    DiagnosticEngine positions;
    if (const auto pipeline = BuildPipeline(options, positions); pipeline.has_value()) {
      RunReport report;
      RunOptions run_options;
      run_options.verify_each = true;
      if (!RunPipeline(*module, *pipeline, run_options, diagnostics, report)) module = nullptr;
    } else if (!options.start_after.has_value()) {
      ADD_FAILURE() << positions.ToString();
    }
  }
  if (module == nullptr) ADD_FAILURE() << unit << ", " << stage.name << ": " << diagnostics.ToString();
  return module;
}

// Returns the modules of a unit at each stage. They are read once for all tests of a process.
const std::vector<std::unique_ptr<Module>>& Load(const std::string& unit) {
  static auto& loaded = *new std::map<std::string, std::vector<std::unique_ptr<Module>>>;
  const auto [at, is_new] = loaded.try_emplace(unit);
  if (is_new) {
    for (const StageInfo& stage : kStages) at->second.push_back(LoadStage(unit, stage));
  }
  return at->second;
}

// Returns the name among `candidates` that `name` refers to. If there is none, the test fails and the result is
// empty.
std::string FindName(std::string_view name, const std::vector<std::string>& candidates) {
  const std::vector<std::string_view> found = FindMeantNames(name, {candidates.begin(), candidates.end()});
  if (found.size() == 1) return std::string(found[0]);
  ADD_FAILURE() << found.size() << " of the names begin with '" << name
                << "': " << ::testing::PrintToString(candidates);
  return "";
}

std::vector<std::string> KernelNames(const Module& module) {
  std::vector<std::string> names;
  for (const auto& function : module.machine_functions()) names.emplace_back(function->name());
  return names;
}

std::vector<std::string> VariableNames(const Module& module) {
  std::vector<std::string> names;
  for (const GlobalVariable& variable : module.variables()) names.emplace_back(variable.name);
  return names;
}

}  // namespace

CorpusKernels::~CorpusKernels() = default;

void CorpusKernels::SetUp() {
  const std::vector<std::unique_ptr<Module>>& modules = Load(unit_);
  for (size_t i = 0; i < modules.size(); ++i) {
    ASSERT_NE(modules[i], nullptr);
    std::vector<const MachineFunction*> functions;
    for (const auto& function : modules[i]->machine_functions()) functions.push_back(function.get());
    absl::StatusOr<std::unique_ptr<Device>> device = CreateDevice(*modules[i], functions);
    ASSERT_TRUE(device.ok()) << device.status();
    stages_.push_back({kStages[i].name, std::move(*device)});
  }
}

uint64_t CorpusKernels::Allocate(uint64_t bytes, bool undefined) {
  std::optional<uint64_t> address;
  for (const Stage& stage : stages_) {
    const uint64_t here = stage.device->Allocate(StrCat("buffer ", blocks_.size()), bytes, undefined);
    EXPECT_EQ(address.value_or(here), here) << stage.name;
    address = here;
  }
  blocks_.push_back({address.value_or(0), bytes});
  return address.value_or(0);
}

uint64_t CorpusKernels::AddVariable(std::string_view name, uint64_t bytes) {
  const std::string full_name = FindName(name, VariableNames(*Load(unit_)[0]));
  std::optional<uint64_t> address;
  for (const Stage& stage : stages_) {
    const uint64_t here = stage.device->VariableAddress(full_name);
    EXPECT_NE(here, 0u) << full_name << " is in no memory that tests can see";
    EXPECT_EQ(address.value_or(here), here) << stage.name;
    address = here;
  }
  blocks_.push_back({address.value_or(0), bytes});
  return address.value_or(0);
}

void CorpusKernels::WriteBytes(uint64_t address, const void* data, size_t bytes) {
  for (const Stage& stage : stages_) {
    EXPECT_TRUE(stage.device->Write(address, absl::MakeConstSpan(static_cast<const uint8_t*>(data), bytes)));
  }
}

void CorpusKernels::ReadBytes(uint64_t address, void* data, size_t bytes, size_t element_size) {
  const Device& device = *stages_.front().device;
  EXPECT_TRUE(device.Read(address, absl::MakeSpan(static_cast<uint8_t*>(data), bytes)));
  if (element_size == 0) return;
  const std::vector<uint8_t> undefined = device.UndefinedBits(address, bytes);
  for (size_t i = 0; i < undefined.size(); ++i) {
    if (undefined[i] == 0) continue;
    ADD_FAILURE() << "element " << i / element_size << " of " << bytes / element_size
                  << " has undefined bits: nothing was stored there, or something undefined";
    return;
  }
}

uint64_t CorpusKernels::CreateTexture(const Device::TextureDesc& desc, absl::Span<const uint8_t> texels) {
  std::optional<uint64_t> handle;
  for (const Stage& stage : stages_) {
    const uint64_t here = stage.device->CreateTexture(desc, texels);
    EXPECT_EQ(handle.value_or(here), here) << stage.name;
    handle = here;
  }
  return handle.value_or(0);
}

std::vector<uint8_t> CorpusKernels::ReadTexture(uint64_t handle, size_t bytes) {
  std::vector<uint8_t> texels(bytes);
  for (const Stage& stage : stages_) {
    std::vector<uint8_t> here(bytes);
    EXPECT_TRUE(stage.device->ReadTexture(handle, absl::MakeSpan(here)));
    if (&stage == &stages_.front()) texels = here;
    EXPECT_EQ(texels, here) << stage.name;
  }
  return texels;
}

LaunchResult CorpusKernels::LaunchStages(LaunchConfig config, const std::vector<KernelArgument>& arguments,
                                         bool may_fault) {
  config.kernel = FindName(config.kernel, KernelNames(*Load(unit_)[0]));
  config.max_steps = std::min(config.max_steps, kMaxSteps);
  config.stop_at_races = !allows_races_;
  std::optional<LaunchResult> first;
  for (const Stage& stage : stages_) {
    const absl::StatusOr<LaunchResult> result = stage.device->Launch(config, arguments);
    if (!result.ok()) {
      ADD_FAILURE() << config.kernel << ", " << stage.name << ": " << result.status();
      return {};
    }
    if (!may_fault && result->fault.is_fault()) {
      ADD_FAILURE() << stage.name << ": " << result->fault.ToString();
      return *result;
    }
    if (!first.has_value()) first = *result;
    EXPECT_EQ(result->fault.kind, first->fault.kind) << stage.name << ": " << result->fault.ToString();
    EXPECT_EQ(result->printed, first->printed) << stage.name;
  }
  ExpectSameMemory(config.kernel);
  return first.value_or(LaunchResult());
}

void CorpusKernels::ExpectSameMemory(std::string_view kernel) {
  const Device& reference = *stages_.front().device;
  for (const Block& block : blocks_) {
    std::vector<uint8_t> expected(block.bytes);
    EXPECT_TRUE(reference.Read(block.address, absl::MakeSpan(expected)));
    const std::vector<uint8_t> expected_undefined = reference.UndefinedBits(block.address, block.bytes);
    for (size_t i = 1; i < stages_.size(); ++i) {
      std::vector<uint8_t> actual(block.bytes);
      EXPECT_TRUE(stages_[i].device->Read(block.address, absl::MakeSpan(actual)));
      const std::vector<uint8_t> undefined = stages_[i].device->UndefinedBits(block.address, block.bytes);
      for (size_t byte = 0; byte < block.bytes; ++byte) {
        const uint8_t defined = expected_undefined.empty() ? 0xff : ~expected_undefined[byte];
        const uint8_t lost = undefined.empty() ? 0 : undefined[byte] & defined;
        if (((actual[byte] ^ expected[byte]) & defined) == 0 && lost == 0) continue;
        ADD_FAILURE() << kernel << " computes something else " << stages_[i].name << ": byte " << byte << " of "
                      << block.bytes << " of buffer " << &block - blocks_.data()
                      << (lost != 0 ? " is undefined" : " differs");
        break;
      }
    }
  }
}

}  // namespace ptxmir::ptx
