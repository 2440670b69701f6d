#include "report/hdf5/library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>

namespace daedalus::report::hdf5 {
namespace {

Error not_loaded(const char* reason) {
  return {"report.hdf5-missing",
          fmt::format("HDF5 cannot be used: {}", reason == nullptr ? "no reason given" : reason),
          "install the HDF5 library, or use another format"};
}

// The module is next to the library or program that contains this function.
Result<Library*> load_module() {
  Dl_info own{};
  if (dladdr(reinterpret_cast<void*>(&load), &own) == 0) return not_loaded(nullptr);
  const std::filesystem::path folder = std::filesystem::path(own.dli_fname).parent_path();
  void* const module = dlopen((folder / DAEDALUS_HDF5_MODULE).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (module == nullptr) return not_loaded(dlerror());
  void* const function = dlsym(module, "daedalus_hdf5_library");
  if (function == nullptr) return not_loaded(dlerror());
  return reinterpret_cast<LibraryOfModule*>(function)();
}

}  // namespace

Result<Library*> load() {
  static const Result<Library*> loaded = load_module();
  return loaded;
}

}  // namespace daedalus::report::hdf5
