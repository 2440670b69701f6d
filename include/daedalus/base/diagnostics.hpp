// What a phase reports about the model text: errors, warnings and notes with their positions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "daedalus/base/source.hpp"

namespace daedalus {

enum class Severity { Error, Warning, Note };

struct Label {
  Span span;
  std::string text;
};

struct Diagnostic {
  Severity severity = Severity::Error;
  std::string code;
  Span span;
  std::string message;
  std::string label = {};           // follows the carets under the span
  std::vector<Label> related = {};  // further places
  std::string hint = {};
};

class Diagnostics {
 public:
  // The reference is valid until the next call.
  Diagnostic& error(std::string code, Span span, std::string message);
  Diagnostic& warning(std::string code, Span span, std::string message);
  Diagnostic& note(std::string code, Span span, std::string message);

  bool has_errors() const { return errors_ > 0; }
  std::size_t error_count() const { return errors_; }
  const std::vector<Diagnostic>& all() const { return all_; }

 private:
  Diagnostic& add(Severity severity, std::string code, Span span, std::string message);

  std::vector<Diagnostic> all_;
  std::size_t errors_ = 0;
};

enum class Colour { No, Yes };

std::string_view severity_name(Severity severity);

// The diagnostic as people read it: position, message, the source lines with carets, hint.
std::string render(const Diagnostic& diagnostic, const Sources& sources,
                   Colour colour = Colour::No);

// All diagnostics, in the order of the text; at most `limit` errors are written out, the rest are
// only counted.
std::string render(const Diagnostics& diagnostics, const Sources& sources,
                   Colour colour = Colour::No, std::size_t limit = 20);

}  // namespace daedalus
