#include "engine/analysis_cache.hpp"

#include <fmt/format.h>

#include "daedalus/base/build.hpp"
#include "daedalus/codegen/code_cache.hpp"
#include "daedalus/structure/archive.hpp"

namespace daedalus {

template <class Archive>
void archive(Archive& a, Label& label) {
  auto& [span, text] = label;
  a(span, text);
}

template <class Archive>
void archive(Archive& a, Diagnostic& diagnostic) {
  auto& [severity, code, span, message, label, related, hint] = diagnostic;
  a(severity, code, span, message, label, related, hint);
}

}  // namespace daedalus

namespace daedalus::engine {

template <class Archive>
void archive(Archive& a, StructuralSetting& setting) {
  auto& [name, value, type] = setting;
  a(name, value.value, value.is_whole, value.whole, type);
}

namespace {

constexpr std::size_t most_bytes = 64 << 20;

template <class Archive>
void archive_parts(Archive& a, Analysis& analysis, std::vector<Diagnostic>& diagnostics) {
  a(analysis.name, analysis.description, analysis.experiment, analysis.structural, diagnostics,
    analysis.structured);
}

void add(const Diagnostic& kept, Diagnostics& diagnostics) {
  Diagnostic& made = kept.severity == Severity::Warning
                         ? diagnostics.warning(kept.code, kept.span, kept.message)
                         : diagnostics.note(kept.code, kept.span, kept.message);
  made = kept;
}

}  // namespace

// The archive is only valid for this build: another one may lay out its data in another way, or
// analyse the model differently.
std::optional<std::string> analysis_key(const std::string& text, const std::string& model,
                                        const std::vector<Setting>& settings) {
  const std::string build = build_identity();
  if (build.empty()) return std::nullopt;
  std::string all = fmt::format("analysis\n{}\n{}\n{}", build, model.size(), model);
  for (const Setting& setting : settings) {
    all += fmt::format("\n{} {}\n{}{}", setting.name.size(), setting.value.size(), setting.name,
                       setting.value);
  }
  return codegen::digest(all + '\0' + text);
}

std::optional<Analysis> find_analysis(const codegen::CodeCache& cache, const std::string& key) {
  const std::optional<std::string> bytes = cache.find(key);
  if (!bytes) return std::nullopt;
  Analysis analysis;
  std::vector<Diagnostic> diagnostics;
  try {
    Archive reader(*bytes);
    archive_parts(reader, analysis, diagnostics);
    if (!reader.is_at_end()) return std::nullopt;
  } catch (const std::runtime_error&) {
    return std::nullopt;
  }
  for (const Diagnostic& diagnostic : diagnostics) add(diagnostic, analysis.diagnostics);
  return analysis;
}

void keep_analysis(const codegen::CodeCache& cache, const std::string& key,
                   const Analysis& analysis) {
  if (!analysis.structured || analysis.diagnostics.has_errors()) return;
  constexpr std::size_t bytes_of_an_equation = 500;  // at least
  if (analysis.structured->equation_count * bytes_of_an_equation > most_bytes) return;
  std::vector<Diagnostic> diagnostics = analysis.diagnostics.all();
  Archive writer;
  archive_parts(writer, const_cast<Analysis&>(analysis), diagnostics);  // writing changes nothing
  if (writer.bytes().size() <= most_bytes) cache.store(key, writer.bytes());
}

}  // namespace daedalus::engine
