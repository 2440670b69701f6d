#include "cli/checkpoint.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <string_view>

#include "daedalus/base/build.hpp"
#include "daedalus/base/file.hpp"
#include "daedalus/base/utf8.hpp"

namespace daedalus::cli {
namespace {

// A few readable lines, the last of them empty, then bytes of this build.
constexpr std::string_view first_line = "daedalus checkpoint";

std::string build() { return fmt::format("{} {}", DAEDALUS_VERSION, build_identity()); }

// What follows the name at the start of the line; none: the next line has another name.
std::optional<std::string> take_line(std::string_view& text, std::string_view name) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos || !text.starts_with(name)) return std::nullopt;
  std::string_view line = text.substr(0, end);
  line.remove_prefix(name.size());
  if (line.starts_with(' ')) line.remove_prefix(1);
  text.remove_prefix(end + 1);
  return std::string(line);
}

Error refused(const std::string& path, std::string_view why, std::string hint = {}) {
  return {"checkpoint", fmt::format("`{}` {}", path, why), std::move(hint)};
}

}  // namespace

void Checkpoint::archive(Archive& a) {
  a(simulation, folder, text, state.time, state.bytes, files, kept_rows);
}

std::optional<Error> write_checkpoint(const std::string& path, Checkpoint& checkpoint) {
  Archive writer;
  writer(checkpoint);
  Result<AtomicFile> file = AtomicFile::create(path);
  if (!file) return file.error();
  file->write(fmt::format(
      "{}\nversion {}\ncpu {}\nmodel {}\ntime {:.17g}\nbytes {}\nchecksum {}\n\n", first_line,
      build(), codegen::host_cpu(), visible(checkpoint.simulation.model.file),
      checkpoint.state.time, writer.bytes().size(), codegen::digest(writer.bytes())));
  file->write(writer.bytes());
  const Result<std::size_t> written = file->commit();
  return written ? std::nullopt : std::optional(written.error());
}

Result<Checkpoint> read_checkpoint(const std::string& path) {
  const Result<std::string> whole = read_file(path);
  if (!whole) return whole.error();
  std::string_view text = *whole;
  if (!take_line(text, first_line)) return refused(path, "is no checkpoint");
  const std::optional<std::string> version = take_line(text, "version");
  if (!version) return refused(path, "is cut off");
  if (*version != build()) {
    return refused(path,
                   fmt::format("was written by another build of the program: {}, this is {}",
                               *version, build()),
                   "go on with that one, or start the run again");
  }
  const std::optional<std::string> cpu = take_line(text, "cpu"), model = take_line(text, "model"),
                                   time = take_line(text, "time"), bytes = take_line(text, "bytes"),
                                   checksum = take_line(text, "checksum");
  if (!cpu || !model || !time || !bytes || !checksum || !take_line(text, "") ||
      text.size() < std::strtoull(bytes->c_str(), nullptr, 10))
    return refused(path, "is cut off");
  if (*checksum != codegen::digest(text)) return refused(path, "is damaged: its checksum is wrong");
  Checkpoint checkpoint;
  checkpoint.cpu = *cpu;
  Archive reader(text);
  try {
    reader(checkpoint);
  } catch (const std::runtime_error& error) {
    return refused(path, fmt::format("cannot be read: {}", error.what()));
  }
  return checkpoint;
}

}  // namespace daedalus::cli
