// The report: the embedded page with the title and data of one run.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include "daedalus/base/check.hpp"
#include "daedalus/base/file.hpp"
#include "daedalus/report/report.hpp"
#include "report/page.hpp"
#include "report/page_data.hpp"
#include "report/text.hpp"

namespace daedalus::report {
namespace {

constexpr std::string_view title_mark = "@TITLE@";
constexpr std::string_view data_mark = "@DATA@";

}  // namespace

Result<std::size_t> write_html(const std::string& path, const RunDescription& run,
                               const solution::Solution& solution) {
  Result<AtomicFile> file = AtomicFile::create(path);
  if (!file) return file.error();

  const std::string date = fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", fmt::gmtime(std::time(nullptr)));
  const std::string_view page = page_template();
  const std::size_t title = page.find(title_mark);
  const std::size_t data = page.find(data_mark);
  DAEDALUS_CHECK(title < data && data != std::string_view::npos);

  file->write(page.substr(0, title));
  file->write(html_text(run.model));
  file->write(page.substr(title + title_mark.size(), data - title - title_mark.size()));
  file->write(page_data(run, solution, date));
  file->write(page.substr(data + data_mark.size()));
  return file->commit();
}

}  // namespace daedalus::report
