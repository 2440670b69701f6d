// A value or the reason why there is none, for what a caller can get wrong.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <variant>

namespace daedalus {

// What is wrong and what to do about it. The code is stable (`phase.what-is-wrong`); the message is
// for people.
struct Error {
  std::string code;
  std::string message;
  std::string hint = {};

  std::string text() const {
    return message + " [" + code + "]" + (hint.empty() ? "" : "\n  hint: " + hint);
  }
};

// Only thrown by Result::value(), so that scripts and bindings need not check for errors.
class Failure : public std::runtime_error {
 public:
  explicit Failure(Error error) : std::runtime_error(error.text()), error_(std::move(error)) {}
  const Error& error() const { return error_; }

 private:
  Error error_;
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value)
      : content_(std::move(value)) {}  // NOLINT: implicit, so that `return value;` reads well
  Result(Error error) : content_(std::move(error)) {}  // NOLINT: likewise

  bool has_value() const { return std::holds_alternative<T>(content_); }
  explicit operator bool() const { return has_value(); }

  T& operator*() { return std::get<T>(content_); }
  const T& operator*() const { return std::get<T>(content_); }
  T* operator->() { return &std::get<T>(content_); }
  const T* operator->() const { return &std::get<T>(content_); }
  const Error& error() const { return std::get<Error>(content_); }

  T value() && {
    if (!has_value()) throw Failure(error());
    return std::move(std::get<T>(content_));
  }
  const T& value() const& {
    if (!has_value()) throw Failure(error());
    return std::get<T>(content_);
  }

 private:
  std::variant<T, Error> content_;
};

}  // namespace daedalus
