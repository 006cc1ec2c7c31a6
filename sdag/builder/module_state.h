// SPDX-License-Identifier: Apache-2.0

// The contents of a KernelModule: the module, its functions as they are being built, and the first error.

#ifndef PTXMIR_SDAG_BUILDER_MODULE_STATE_H_
#define PTXMIR_SDAG_BUILDER_MODULE_STATE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ir/module.h"
#include "ptx/target/subtarget.h"
#include "ptxmir/kernel_builder.h"
#include "ptxmir/kernel_types.h"
#include "ptxmir/status.h"

namespace ptxmir::builder {

class FunctionState;

class ModuleState {
 public:
  explicit ModuleState(const ModuleTarget& target);
  ~ModuleState();

  KernelBuilder& CreateFunction(std::string_view name, Type result, std::vector<Parameter> parameters, bool is_kernel,
                                const LaunchBounds& bounds);
  // Creates a variable. Errors name `call`. Shared variables have no data. A count of 0 makes an array whose size
  // is given at launch.
  Variable CreateVariable(std::string_view call, std::string_view name, Type type, uint64_t count, AddressSpace space,
                          std::span<const uint8_t> data, unsigned align, bool is_external);
  // Returns the variable that stands for all shared memory whose size is given at launch. There is only one,
  // because PTX has one address for this memory.
  Variable DynamicShared(std::string_view call, unsigned align);
  // Returns true if the variable belongs to this module.
  bool Owns(Variable variable) const { return variable.module_ == serial_ && variable.index_ != 0; }
  GlobalId GlobalOf(Variable variable) const { return variable.index_ - 1; }
  AddressSpace SpaceOf(Variable variable) const { return variable.space_; }

  // Finishes all functions. Returns false if there is an error.
  bool Finish();
  // Returns true once Finish has succeeded. The module then has machine functions without code; their DAGs are in
  // FunctionState.
  bool is_finished() const { return is_finished_; }
  // Whether the code has been taken out of the module, which can happen only once.
  bool is_consumed = false;

  void Error(std::string message);
  const Status& status() const { return status_; }
  bool ok() const { return status_.ok(); }

  std::unique_ptr<Module>& module() { return module_; }
  const std::string& cpu() const { return cpu_; }
  const std::string& features() const { return features_; }
  const ptx::Subtarget* subtarget() const { return subtarget_.get(); }
  std::span<const std::unique_ptr<KernelBuilder>> functions() const { return functions_; }

  const IrType* IrTypeOf(Type type);
  // Returns the error in a function's type, or an empty string if there is none.
  std::string ProblemWithType(Type result, std::span<const Parameter> parameters) const;

  // Adds a metadata node for debug locations. The nodes are collected as text, which the module reads when all
  // functions have been finished.
  MetadataId AddDebugNode(std::string_view text);
  // Metadata nodes that functions share. Each is made when it is first asked for.
  MetadataId DebugFile(std::string_view path);
  MetadataId DebugUnit(MetadataId file);
  MetadataId DebugFunctionType();

 private:
  bool CheckName(std::string_view call, std::string_view name);
  std::string ProblemWith(const LaunchBounds& bounds) const;
  std::string ProblemWithName(std::string_view function, size_t num_parameters) const;
  void AddParameters(IrFunction& ir, const std::vector<Parameter>& parameters);
  void AddBounds(IrFunction& ir, const LaunchBounds& bounds);
  void AddStringAttribute(IrFunction& ir, std::string_view name, std::string_view value);
  bool ReadDebugNodes();

  const uint32_t serial_;
  Status status_;
  bool is_finished_ = false;
  std::string cpu_;
  std::string features_;
  std::unique_ptr<ptx::Subtarget> subtarget_;
  std::unique_ptr<Module> module_;
  Variable dynamic_shared_;
  std::string debug_text_;
  MetadataId num_debug_nodes_ = 0;
  absl::flat_hash_map<std::string, MetadataId> debug_files_;  // by path
  std::optional<MetadataId> debug_unit_;
  std::optional<MetadataId> debug_function_type_;
  std::vector<std::unique_ptr<KernelBuilder>> functions_;
};

// Returns a number that no other function or module of the process has.
uint32_t NextSerial();

}  // namespace ptxmir::builder

#endif  // PTXMIR_SDAG_BUILDER_MODULE_STATE_H_
