// The readers of single formats.
#pragma once

#include <string>
#include <string_view>

#include "daedalus/report/read.hpp"

namespace daedalus::report {

// Parses the contents of a file. An Error says what is wrong, without the name of the file.
Result<solution::Table> parse_csv(std::string_view text);
Result<solution::Table> parse_mat(std::string_view bytes);
Result<solution::Table> parse_json(std::string_view text);
Result<solution::Table> parse_jsonl(std::string_view text);

// The same for a file that may not fit into memory.
Result<solution::Table> read_hdf5(const std::string& path);

// ".csv" of "a.csv", and of "a.csv.part".
std::string result_extension(const std::string& path);

Error not_a_table(std::string message);

}  // namespace daedalus::report
