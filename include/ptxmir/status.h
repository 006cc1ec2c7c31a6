// SPDX-License-Identifier: Apache-2.0

// Whether something went well, and why not: what the public interface returns where the library itself has
// absl::Status. Only the standard library is needed to use it.

#ifndef PTXMIR_STATUS_H_
#define PTXMIR_STATUS_H_

#include <string>
#include <utility>

namespace ptxmir::builder {

class [[nodiscard]] Status {
 public:
  Status() = default;  // all is well
  static Status Error(std::string message) {
    Status status;
    status.ok_ = false;
    status.message_ = std::move(message);
    return status;
  }

  bool ok() const { return ok_; }
  // Empty when all is well.
  const std::string& message() const { return message_; }

 private:
  bool ok_ = true;
  std::string message_;
};

// A T, or the reason why there is none. Without one, the value is a T() that says nothing.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}         // NOLINT: `return value;`
  Result(Status status) : status_(std::move(status)) {  // NOLINT: `return Status::Error(...);`
    if (status_.ok()) status_ = Status::Error("a result without a value");
  }

  bool ok() const { return status_.ok(); }
  const Status& status() const { return status_; }
  const T& value() const { return value_; }
  T& value() { return value_; }
  const T& operator*() const { return value_; }
  T& operator*() { return value_; }
  const T* operator->() const { return &value_; }
  T* operator->() { return &value_; }

 private:
  Status status_;
  T value_{};
};

}  // namespace ptxmir::builder

#endif  // PTXMIR_STATUS_H_
