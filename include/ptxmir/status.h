// SPDX-License-Identifier: Apache-2.0

// Status and Result: success, or the reason for a failure. The public interface returns them where the library
// itself uses absl::Status. This header needs only the standard library.

#ifndef PTXMIR_STATUS_H_
#define PTXMIR_STATUS_H_

#include <string>
#include <utility>

namespace ptxmir::builder {

class [[nodiscard]] Status {
 public:
  Status() = default;  // success
  static Status Error(std::string message) {
    Status status;
    status.ok_ = false;
    status.message_ = std::move(message);
    return status;
  }

  bool ok() const { return ok_; }
  // Returns the error message; empty on success.
  const std::string& message() const { return message_; }

 private:
  bool ok_ = true;
  std::string message_;
};

// A T, or the reason why there is none. Without one, value() is a default T().
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}         // NOLINT: allows `return value;`
  Result(Status status) : status_(std::move(status)) {  // NOLINT: allows `return Status::Error(...);`
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
