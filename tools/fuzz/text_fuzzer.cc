// SPDX-License-Identifier: Apache-2.0

#include "tools/fuzz/text_fuzzer.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "absl/strings/str_format.h"
#include "base/str_cat.h"

#if defined(__SANITIZE_ADDRESS__)
#define PTXMIR_UNDER_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PTXMIR_UNDER_ASAN 1
#endif
#endif

namespace ptxmir::fuzz {
namespace {

#ifdef PTXMIR_UNDER_ASAN
constexpr bool kUnderAsan = true;
// AddressSanitizer keeps freed memory for some time (quarantine_size_mb).
constexpr size_t kUsualGrowth = size_t{256} << 20;
#else
constexpr bool kUnderAsan = false;
constexpr size_t kUsualGrowth = 0;
#endif

using Clock = std::chrono::steady_clock;

// A child that exits with this status has a finding in Shared::message. One that exits with 0 has done all its
// work.
constexpr int kFindingStatus = 77;

// The memory that parent and child share.
struct Shared {
  std::atomic<uint64_t> next;  // the number of the current text
  uint64_t num_inputs;
  uint64_t num_bytes;
  uint64_t reached[kNumReached];
  double slowest_cpu_seconds;
  uint64_t slowest;
  size_t largest_growth;
  uint64_t largest;
  char message[1500];
};

double CpuSeconds() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

void LimitCpu(double seconds) {
  itimerval timer{};
  timer.it_value.tv_sec = static_cast<time_t>(seconds);
  timer.it_value.tv_usec = static_cast<suseconds_t>(1e6 * (seconds - static_cast<double>(timer.it_value.tv_sec)));
  setitimer(ITIMER_PROF, &timer, nullptr);
}

// Measures the peak and the current resident size of this process, through files that stay open.
class MemoryMeter {
 public:
  MemoryMeter() : clear_(open("/proc/self/clear_refs", O_WRONLY)), status_(open("/proc/self/status", O_RDONLY)) {}
  ~MemoryMeter() {
    close(clear_);
    close(status_);
  }
  MemoryMeter(const MemoryMeter&) = delete;
  MemoryMeter& operator=(const MemoryMeter&) = delete;

  // Resets the peak to the current size.
  void ResetPeak() {
    if (clear_ < 0 || write(clear_, "5", 1) != 1) works_ = false;
  }
  // Returns 0 if the size is not known.
  size_t PeakBytes() {
    char text[4096];
    const ssize_t size = works_ && status_ >= 0 ? pread(status_, text, sizeof(text) - 1, 0) : 0;
    if (size <= 0) return 0;
    text[size] = 0;
    const char* line = std::strstr(text, "VmHWM:");
    return line == nullptr ? 0 : std::strtoull(line + 6, nullptr, 10) * 1024;
  }

 private:
  int clear_;
  int status_;
  bool works_ = true;
};

class Child {
 public:
  Child(const TextMutator& mutator, const TextTarget& target, const TextFuzzOptions& options, Shared& shared,
        uint64_t end, Clock::time_point deadline)
      : mutator_(mutator), target_(target), options_(options), shared_(shared), end_(end), deadline_(deadline) {}

  [[noreturn]] void Run() {
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    if (!kUnderAsan) {
      const rlim_t most = (size_t{1} << 30) + 2 * options_.memory_bytes;
      const rlimit data{most, most};
      setrlimit(RLIMIT_DATA, &data);
    }
    for (uint64_t i = shared_.next; i < end_ && Clock::now() < deadline_; ++i) {
      shared_.next = i;
      RunOne(i);
    }
    std::fflush(nullptr);
    _exit(0);
  }

 private:
  void RunOne(uint64_t index) {
    const std::string text = mutator_.Generate(index);
    meter_.ResetPeak();
    const size_t memory_before = meter_.PeakBytes();
    const double cpu_before = CpuSeconds();
    LimitCpu(options_.cpu_seconds + options_.cpu_seconds_per_byte * static_cast<double>(text.size()));
    const TextOutcome outcome = target_.run(text);
    LimitCpu(0);
    const double cpu = CpuSeconds() - cpu_before;
    const size_t memory_after = meter_.PeakBytes();
    const size_t growth = memory_after > memory_before ? memory_after - memory_before : 0;
    ++shared_.num_inputs;
    shared_.num_bytes += text.size();
    ++shared_.reached[static_cast<int>(outcome.reached)];
    if (cpu > shared_.slowest_cpu_seconds) {
      shared_.slowest_cpu_seconds = cpu;
      shared_.slowest = index;
    }
    if (growth > shared_.largest_growth) {
      shared_.largest_growth = growth;
      shared_.largest = index;
    }
    if (!outcome.finding.empty()) Leave(outcome.finding);
    if (growth > kUsualGrowth + options_.memory_bytes + options_.memory_bytes_per_byte * text.size()) {
      Leave(StrCat("memory out of proportion: ", growth, " bytes for a text of ", text.size()));
    }
  }

  [[noreturn]] void Leave(const std::string& message) {
    const size_t size = std::min(message.size(), sizeof(shared_.message) - 1);
    std::memcpy(shared_.message, message.data(), size);
    shared_.message[size] = 0;
    _exit(kFindingStatus);
  }

  const TextMutator& mutator_;
  const TextTarget& target_;
  const TextFuzzOptions& options_;
  Shared& shared_;
  uint64_t end_;
  Clock::time_point deadline_;
  MemoryMeter meter_;
};

// Replaces digits by '#': two findings that differ only in numbers have one cause.
std::string WithoutNumbers(std::string_view text) {
  std::string out;
  for (char c : text) {
    const bool digit = c >= '0' && c <= '9';
    if (!digit || out.empty() || out.back() != '#') out += digit ? '#' : c;
  }
  return out;
}

std::string_view FirstLine(std::string_view text) { return text.substr(0, text.find('\n')); }

// Returns the most informative line about a crash: a sanitizer's summary, an assertion, or the first line.
std::string_view TellingLine(std::string_view details) {
  for (const std::string_view mark : {"SUMMARY: ", "runtime error:", "Assertion", "terminate called"}) {
    const size_t at = details.find(mark);
    if (at == std::string_view::npos) continue;
    const size_t newline = details.rfind('\n', at);
    return FirstLine(details.substr(newline == std::string_view::npos ? 0 : newline + 1));
  }
  return FirstLine(details);
}

class Run {
 public:
  Run(const TextMutator& mutator, const TextTarget& target, const TextFuzzOptions& options)
      : mutator_(mutator), target_(target), options_(options) {}

  TextFuzzReport Execute() {
    const Clock::time_point start = Clock::now();
    const Clock::time_point deadline =
        options_.seconds > 0
            ? start + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(options_.seconds))
            : Clock::time_point::max();
    const uint64_t end = options_.num_inputs == 0 ? ~uint64_t{0} : options_.first + options_.num_inputs;
    void* memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    log_ = std::tmpfile();
    if (memory == MAP_FAILED || log_ == nullptr) {
      report_.error = StrCat("no memory or file to share with a child: ", std::strerror(errno));
      return report_;
    }
    shared_ = new (memory) Shared{};
    shared_->next = options_.first;
    while (shared_->next < end && Clock::now() < deadline && report_.findings.size() < options_.max_findings) {
      if (!RunChild(end, deadline)) break;
    }
    TakeOver();
    report_.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    std::fclose(log_);
    munmap(memory, sizeof(Shared));
    return report_;
  }

 private:
  // Returns false if there is nothing left to do.
  bool RunChild(uint64_t end, Clock::time_point deadline) {
    shared_->message[0] = 0;
    if (ftruncate(fileno(log_), 0) != 0) report_.error = "cannot empty the log";
    std::fflush(nullptr);
    const pid_t pid = fork();
    if (pid < 0) {
      report_.error = StrCat("cannot fork: ", std::strerror(errno));
      return false;
    }
    if (pid == 0) {
      lseek(fileno(log_), 0, SEEK_SET);
      dup2(fileno(log_), STDERR_FILENO);
      Child(mutator_, target_, options_, *shared_, end, deadline).Run();
    }
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return false;
    AddFinding(status);
    ++shared_->next;
    return true;
  }

  std::string Log() const {
    std::string text(size_t{64} << 10, '\0');
    const ssize_t size = pread(fileno(log_), text.data(), text.size(), 0);
    text.resize(size < 0 ? 0 : static_cast<size_t>(size));
    return text;
  }

  void AddFinding(int status) {
    TextFinding finding;
    finding.index = shared_->next;
    finding.details = Log();
    if (WIFEXITED(status) && WEXITSTATUS(status) == kFindingStatus) {
      finding.what = FirstLine(shared_->message);
      finding.details = StrCat(shared_->message, "\n", finding.details);
    } else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF) {
      finding.what = "takes too long";
    } else if (WIFSIGNALED(status)) {
      finding.what = StrCat("dies of signal ", WTERMSIG(status), " (", strsignal(WTERMSIG(status)),
                            "): ", TellingLine(finding.details));
    } else {
      finding.what = StrCat("dies: ", TellingLine(finding.details));
    }
    const std::string cause = WithoutNumbers(finding.what);
    for (TextFinding& known : report_.findings) {
      if (WithoutNumbers(known.what) != cause) continue;
      ++known.repeated;
      return;
    }
    report_.findings.push_back(std::move(finding));
  }

  void TakeOver() {
    report_.num_inputs = shared_->num_inputs;
    report_.num_bytes = shared_->num_bytes;
    std::copy(std::begin(shared_->reached), std::end(shared_->reached), report_.reached.begin());
    report_.slowest_cpu_seconds = shared_->slowest_cpu_seconds;
    report_.slowest = shared_->slowest;
    report_.largest_growth = shared_->largest_growth;
    report_.largest = shared_->largest;
  }

  const TextMutator& mutator_;
  const TextTarget& target_;
  const TextFuzzOptions& options_;
  TextFuzzReport report_;
  Shared* shared_ = nullptr;
  std::FILE* log_ = nullptr;
};

}  // namespace

std::string TextFuzzReport::ToString(std::string_view target) const {
  if (!error.empty()) return StrCat(target, ": ", error, "\n");
  const auto percent = [&](Reached stage) {
    uint64_t count = 0;
    for (int i = static_cast<int>(stage); i < kNumReached; ++i) count += reached[static_cast<size_t>(i)];
    return num_inputs == 0 ? 0.0 : 100.0 * static_cast<double>(count) / static_cast<double>(num_inputs);
  };
  std::string out = absl::StrFormat(
      "%s: %d inputs, %.1f MB, %.1f s, %.0f inputs/s; read %.1f%%, verified "
      "%.1f%%, printed %.1f%%\n",
      ToAbsl(target), num_inputs, 1e-6 * static_cast<double>(num_bytes), seconds,
      seconds > 0 ? static_cast<double>(num_inputs) / seconds : 0.0, percent(Reached::kRead),
      percent(Reached::kVerified), percent(Reached::kPrinted));
  absl::StrAppendFormat(&out,
                        "%s: slowest input %d: %.3f s; most memory, input %d: "
                        "%.1f MB; %d findings\n",
                        ToAbsl(target), slowest, slowest_cpu_seconds, largest,
                        1e-6 * static_cast<double>(largest_growth), findings.size());
  for (const TextFinding& finding : findings) {
    StrAppend(&out, target, ": input ", finding.index, ": ", finding.what);
    if (finding.repeated > 0) StrAppend(&out, " (and ", finding.repeated, " more)");
    out += '\n';
  }
  return out;
}

TextFuzzReport RunTextFuzzer(const TextMutator& mutator, const TextTarget& target, const TextFuzzOptions& options) {
  return Run(mutator, target, options).Execute();
}

}  // namespace ptxmir::fuzz
