#include <gmock/gmock.h>

#include "daedalus/base/file.hpp"
#include "daedalus/report/report.hpp"
#include "report/scratch.hpp"

namespace daedalus::report {
namespace {

using solution::LinearModel;
using testing::HasSubstr;

LinearModel small() {
  return {.model = "Small",
          .time = 0.5,
          .states = {"x", "y"},
          .inputs = {"u"},
          .x0 = {1.0, -0.0},
          .u0 = {3.0},
          .derivatives = {0.0, 0.25},
          .A = {2, 2, {{0, 1, 1.0}, {1, 0, -4.0}}},
          .B = {2, 1, {{1, 0, 0.1}}},
          .C = {0, 2},
          .D = {0, 1},
          .modes = {{{.eigenvalue = {0.0, 2.0}, .dominant = {{0, 0.5}, {1, 0.5}}}}}};
}

TEST(LinearJson, HasMatricesRowByRowWithTheirNames) {
  EXPECT_EQ(linear_json(small()),
            "{\n  \"status\": \"finished\",\n  \"model\": \"Small\",\n  \"time\": 0.5,\n"
            "  \"states\": [\"x\",\"y\"],\n  \"inputs\": [\"u\"],\n  \"outputs\": [],\n"
            "  \"notes\": [],\n  \"x0\": [1, 0],\n  \"u0\": [3],\n  \"y0\": [],\n"
            "  \"derivatives\": [0, 0.25],\n  \"A\": [\n    [0, 1],\n    [-4, 0]],\n"
            "  \"B\": [\n    [0],\n    [0.1]],\n  \"C\": [],\n  \"D\": [],\n"
            "  \"eigenvalues\": [\n    {\"real\":0.0,\"imag\":2.0,\"damping_ratio\":0.0,"
            "\"natural_frequency\":2.0,\"time_constant\":null,\"dominant\":"
            "[{\"state\":\"x\",\"share\":0.5},{\"state\":\"y\",\"share\":0.5}]}]\n}\n");
}

TEST(LinearJson, SaysWhyThereAreNoEigenvalues) {
  LinearModel model = small();
  model.modes.reset();
  model.why_no_modes = "too many";
  EXPECT_THAT(linear_json(model),
              HasSubstr("\"eigenvalues\": null,\n  \"why_no_eigenvalues\": \"too many\"\n}"));
}

TEST(LinearJson, ListsTheEntriesOfLargeModels) {
  LinearModel model = small();
  model.outputs.assign(solution::most_dense + 1, "z");
  EXPECT_THAT(linear_json(model), HasSubstr("\"A\": {\"rows\": 2, \"columns\": 2, \"entries\": [\n"
                                            "    [0, 1, 1],\n    [1, 0, -4]]}"));
}

TEST(LinearFiles, AreNotLeftHalfWritten) {
  const Scratch folder;
  EXPECT_EQ(write_linear_mat(folder.file("none/a.mat"), small()).error().code, "io");
  EXPECT_EQ(write_linear_json(folder.file("none/a.json"), small()).error().code, "io");
  EXPECT_TRUE(folder.is_empty());
  const std::size_t bytes = write_linear_mat(folder.file("a.mat"), small()).value();
  EXPECT_EQ(read_file(folder.file("a.mat")).value().size(), bytes);
}

}  // namespace
}  // namespace daedalus::report
