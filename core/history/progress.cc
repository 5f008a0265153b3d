// SPDX-License-Identifier: Apache-2.0
// core/history/progress.cc: what the line says, and when it is written.
#include "core/history/progress.h"

#include <unistd.h>

#include <cmath>
#include <csignal>

#include "core/files/descriptor.h"
#include "core/files/held_signal.h"
#include "core/history/decimals.h"

namespace tenon::history {
namespace {

constexpr std::chrono::milliseconds kPause{100};  // between two lines

// Control characters would move the terminal's cursor.
std::string one_line(std::string_view text) {
  std::string out(text);
  for (char& letter : out) {
    if (static_cast<unsigned char>(letter) < 32 || letter == 127) letter = ' ';
  }
  return out;
}

// A line that cannot be written is not worth failing for.
void write_line(std::string_view text) noexcept {
  const files::HeldSignal no_reader(SIGPIPE);
  const files::HeldSignal no_room(SIGXFSZ);
  files::write_all(STDERR_FILENO, text);
}

std::string two_digits(int64_t number) { return (number < 10 ? "0" : "") + std::to_string(number); }

}  // namespace

std::string duration_text(double seconds) {
  if (!(seconds >= 0 && seconds < 1e9)) return "-";
  const int64_t whole = std::llround(seconds);
  const std::string rest = two_digits(whole % 60);
  if (whole < 3600) return std::to_string(whole / 60) + ":" + rest;
  return std::to_string(whole / 3600) + ":" + two_digits(whole / 60 % 60) + ":" + rest;
}

std::string line_text(std::string_view label, int64_t total, int64_t done, std::string_view name,
                      double value, double seconds) {
  const auto units = static_cast<double>(done);
  const auto all = static_cast<double>(total);
  const double rate = seconds > 0 ? units / seconds : 0;
  std::string line = "\r" + std::string(label) + "  ";
  if (total > 0) {
    const std::string share = decimals(100 * units / all, 0);
    line.append(share.size() < 3 ? 3 - share.size() : 0, ' ');
    line += share + " %";
  } else {
    line += std::to_string(done);
  }
  if (!name.empty()) line += "  " + one_line(name) + " " + decimals(value, 4);
  line += "  " + decimals(rate, 0) + "/s";
  if (total > 0) line += "  " + duration_text(rate > 0 ? (all - units) / rate : -1) + " left";
  return line + "\033[K";
}

Progress::Progress(Runtime& runtime, std::string_view label, int64_t total, bool always)
    : OfRuntime(runtime),
      label_(one_line(label)),
      total_(total),
      visible_(always || isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
  if (shown_) write_line("\r\033[K");
}

void Progress::run(int64_t done, std::string_view name, double value) {
  if (!visible_) return;
  const Clock::time_point now = Clock::now();
  if (shown_ && now - last_shown_ < kPause) return;
  const double seconds = std::chrono::duration<double>(now - started_).count();
  write_line(line_text(label_, total_, done, name, value, seconds));
  last_shown_ = now;
  shown_ = true;
}

}  // namespace tenon::history
