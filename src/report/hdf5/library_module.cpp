// The only code that sees HDF5: files of series and numbers, over bytes that the caller stores.
#include <fcntl.h>
#include <hdf5.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <mutex>
#include <new>
#include <set>

#include "report/hdf5/library.hpp"

namespace daedalus::report::hdf5 {
namespace {

constexpr unsigned compression = 4;    // of 9: more takes longer than it saves
constexpr unsigned half_of_index = 4;  // entries of a node of the index of chunks
constexpr unsigned creation_order = H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED;
constexpr std::size_t cache_bytes = std::size_t{1} << 21U;
constexpr std::size_t longest_name = 65'535;

// HDF5 has global tables, so calls are serialised.
std::mutex& mutex() {
  static std::mutex one;
  return one;
}

// HDF5 prints errors to stderr unless this is turned off, which has to be done in each thread.
class Call {
 public:
  Call() : lock_(mutex()) {
    H5Eget_auto2(H5E_DEFAULT, &printer_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  ~Call() {
    H5Eclear2(H5E_DEFAULT);
    H5Eset_auto2(H5E_DEFAULT, printer_, data_);
  }

 private:
  std::lock_guard<std::mutex> lock_;
  H5E_auto2_t printer_ = nullptr;
  void* data_ = nullptr;
};

// Owns something that HDF5 has opened.
class Handle {
 public:
  using Close = herr_t(hid_t);
  Handle(hid_t id, Close* close) : id_(id), close_(close) {}
  Handle(Handle&& other) noexcept
      : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(other.close_) {}
  Handle& operator=(Handle&&) = delete;
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  explicit operator bool() const { return id_ >= 0; }
  operator hid_t() const { return id_; }  // NOLINT: implicit, since HDF5's functions take numbers

 private:
  hid_t id_;
  Close* close_;
};

Handle properties(hid_t kind) { return {H5Pcreate(kind), H5Pclose}; }

// HDF5's driver for files over Bytes.
struct Driven {
  H5FD_t about{};  // first: HDF5 knows only this
  Bytes* bytes = nullptr;
  haddr_t end = 0;  // of what HDF5 has allocated
};

struct DriverOptions {
  Bytes* bytes = nullptr;
};

Driven& driven(H5FD_t* file) { return *reinterpret_cast<Driven*>(file); }
const Driven& driven(const H5FD_t* file) { return *reinterpret_cast<const Driven*>(file); }

H5FD_t* driver_open(const char*, unsigned, hid_t access, haddr_t) {
  const auto* options = static_cast<const DriverOptions*>(H5Pget_driver_info(access));
  if (options == nullptr) return nullptr;
  auto* const file = new (std::nothrow) Driven;
  if (file == nullptr) return nullptr;
  file->bytes = options->bytes;
  return &file->about;
}

herr_t driver_close(H5FD_t* file) {
  delete &driven(file);
  return 0;
}

int driver_compare(const H5FD_t* a, const H5FD_t* b) {
  const std::less<> before;
  if (before(driven(a).bytes, driven(b).bytes)) return -1;
  return before(driven(b).bytes, driven(a).bytes) ? 1 : 0;
}

herr_t driver_query(const H5FD_t*, unsigned long* flags) {
  *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_AGGREGATE_SMALLDATA |
           H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  return 0;
}

haddr_t driver_allocated(const H5FD_t* file, H5FD_mem_t) { return driven(file).end; }

herr_t driver_allocate(H5FD_t* file, H5FD_mem_t, haddr_t end) {
  driven(file).end = end;
  return 0;
}

haddr_t driver_size(const H5FD_t* file, H5FD_mem_t) { return driven(file).bytes->size(); }

herr_t driver_read(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t offset, std::size_t size, void* into) {
  try {
    return driven(file).bytes->read(offset, {static_cast<char*>(into), size}) ? 0 : -1;
  } catch (const std::bad_alloc&) {
    return -1;
  }
}

herr_t driver_write(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t offset, std::size_t size,
                    const void* from) {
  try {
    return driven(file).bytes->write(offset, {static_cast<const char*>(from), size}) ? 0 : -1;
  } catch (const std::bad_alloc&) {
    return -1;
  }
}

herr_t driver_truncate(H5FD_t* file, hid_t, hbool_t) {
  if (driven(file).bytes->size() != driven(file).end) driven(file).bytes->resize(driven(file).end);
  return 0;
}

hid_t register_driver() {
  static H5FD_class_t driver{};
  driver.name = "daedalus";
  driver.maxaddr = haddr_t{1} << 62U;
  driver.fc_degree = H5F_CLOSE_STRONG;
  driver.fapl_size = sizeof(DriverOptions);
  driver.open = driver_open;
  driver.close = driver_close;
  driver.cmp = driver_compare;
  driver.query = driver_query;
  driver.get_eoa = driver_allocated;
  driver.set_eoa = driver_allocate;
  driver.get_eof = driver_size;
  driver.read = driver_read;
  driver.write = driver_write;
  driver.truncate = driver_truncate;
  constexpr H5FD_mem_t lists[] = H5FD_FLMAP_DICHOTOMY;
  std::ranges::copy(lists, driver.fl_map);
  return H5FDregister(&driver);
}

// Files over these bytes, in the format of HDF5 1.8, which all current readers support and which
// has checksums for all metadata.
Handle access_to(Bytes& bytes, Access access) {
  static const hid_t driver = register_driver();
  Handle list = properties(H5P_FILE_ACCESS);
  const DriverOptions options{&bytes};
  bool is_set = H5Pset_driver(list, driver, &options) >= 0 &&
                H5Pset_fclose_degree(list, H5F_CLOSE_STRONG) >= 0 &&
                H5Pset_cache(list, 0, 1, 0, 0.0) >= 0;  // series are written and read whole
  if (access == Access::Write)
    is_set = is_set && H5Pset_libver_bounds(list, H5F_LIBVER_V18, H5F_LIBVER_V18) >= 0;
  return is_set ? std::move(list) : Handle(H5I_INVALID_HID, H5Pclose);
}

// In memory, descriptions of datasets take twenty times as much as in the file, but HDF5 counts
// their size in the file. All series get their chunks in turn, so keeping more does not help.
bool bound_cache(hid_t file) {
  H5AC_cache_config_t about{};
  about.version = H5AC__CURR_CACHE_CONFIG_VERSION;
  if (H5Fget_mdc_config(file, &about) < 0) return false;
  about.set_initial_size = true;
  about.initial_size = about.min_size = about.max_size = cache_bytes;
  about.incr_mode = H5C_incr__off;
  about.flash_incr_mode = H5C_flash_incr__off;
  about.decr_mode = H5C_decr__off;
  return H5Fset_mdc_config(file, &about) >= 0;
}

Handle text_type() {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type, H5T_VARIABLE);
  H5Tset_cset(type, H5T_CSET_UTF8);
  return type;
}

// Writes attributes; what they need is created once for all of them.
class TextWriter {
 public:
  TextWriter() { H5Pset_char_encoding(names_, H5T_CSET_UTF8); }

  bool add(hid_t object, const Texts& texts) const {
    return std::ranges::all_of(
        texts, [&](const auto& text) { return add(object, text.first, text.second); });
  }

 private:
  bool add(hid_t object, const std::string& name, const std::string& text) const {
    const Handle attribute(H5Acreate2(object, name.c_str(), type_, space_, names_, H5P_DEFAULT),
                           H5Aclose);
    const char* const value = text.c_str();
    return attribute && H5Awrite(attribute, type_, static_cast<const void*>(&value)) >= 0;
  }

  Handle type_ = text_type();
  Handle space_{H5Screate(H5S_SCALAR), H5Sclose};
  Handle names_ = properties(H5P_ATTRIBUTE_CREATE);
};

std::optional<std::string> text_of(hid_t attribute) {
  const Handle type(H5Aget_type(attribute), H5Tclose);
  const Handle space(H5Aget_space(attribute), H5Sclose);
  if (!type || !space || H5Tget_class(type) != H5T_STRING ||
      H5Sget_simple_extent_npoints(space) != 1)
    return std::nullopt;
  if (H5Tis_variable_str(type) > 0) {
    char* value = nullptr;
    const Handle memory = text_type();
    H5Tset_cset(memory, H5Tget_cset(type));
    if (H5Aread(attribute, memory, static_cast<void*>(&value)) < 0 || value == nullptr)
      return std::nullopt;
    std::string text = value;
    H5free_memory(value);
    return text;
  }
  std::string text(H5Tget_size(type), '\0');
  if (text.size() > longest_name || H5Aread(attribute, type, text.data()) < 0) return std::nullopt;
  text.resize(std::min(text.find('\0'), text.size()));
  return text;
}

// HDF5 calls these through C, so nothing may be thrown.
herr_t collect_text(hid_t object, const char* name, const H5A_info_t*, void* into) {
  try {
    const Handle attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose);
    if (!attribute) return -1;
    if (std::optional<std::string> text = text_of(attribute))
      static_cast<Texts*>(into)->emplace_back(name, std::move(*text));
    return 0;
  } catch (const std::bad_alloc&) {
    return -1;
  }
}

herr_t collect_name(hid_t, const char* name, const H5L_info_t* about, void* into) {
  try {
    if (about->type == H5L_TYPE_HARD)
      static_cast<std::vector<std::string>*>(into)->emplace_back(name);
    return 0;
  } catch (const std::bad_alloc&) {
    return -1;
  }
}

std::optional<std::vector<std::string>> names_in(hid_t group) {
  const Handle list(H5Gget_create_plist(group), H5Pclose);
  unsigned order = 0;
  if (list) H5Pget_link_creation_order(list, &order);
  std::vector<std::string> names;
  const H5_index_t index =
      (order & H5P_CRT_ORDER_TRACKED) != 0 ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME;
  if (H5Literate(group, index, H5_ITER_INC, nullptr, collect_name, &names) < 0) return std::nullopt;
  return names;
}

std::optional<Dataset> described(hid_t dataset, std::string path, Address address) {
  const Handle type(H5Dget_type(dataset), H5Tclose);
  const Handle space(H5Dget_space(dataset), H5Sclose);
  const int rank = space ? H5Sget_simple_extent_ndims(space) : -1;
  if (!type || rank < 0) return std::nullopt;
  Dataset result{.path = std::move(path), .address = address};
  const H5T_class_t kind = H5Tget_class(type);
  result.has_numbers =
      (kind == H5T_FLOAT || kind == H5T_INTEGER) && H5Sget_simple_extent_type(space) != H5S_NULL;
  std::vector<hsize_t> extents(static_cast<std::size_t>(rank));
  if (rank > 0 && H5Sget_simple_extent_dims(space, extents.data(), nullptr) < 0)
    return std::nullopt;
  result.extents.assign(extents.begin(), extents.end());
  if (H5Aiterate2(dataset, H5_INDEX_NAME, H5_ITER_INC, nullptr, collect_text, &result.texts) < 0)
    return std::nullopt;
  return result;
}

// What is created once for all datasets of a file that is written.
struct Templates {
  Handle names = properties(H5P_LINK_CREATE);
  Handle group = properties(H5P_GROUP_CREATE);
  Handle series = properties(H5P_DATASET_CREATE);
  Handle number = properties(H5P_DATASET_CREATE);
  TextWriter texts = {};
  std::size_t rows_of_chunk = 0;

  Templates() {
    H5Pset_char_encoding(names, H5T_CSET_UTF8);
    const double zero = 0.0;
    for (const hid_t list : {hid_t{group}, hid_t{series}, hid_t{number}})
      H5Pset_obj_track_times(list, false);  // equal runs give equal bytes
    for (const hid_t list : {hid_t{series}, hid_t{number}})
      H5Pset_fill_value(list, H5T_NATIVE_DOUBLE, &zero);
    H5Pset_link_creation_order(group, creation_order);
    H5Pset_layout(number, H5D_COMPACT);
  }

  bool set_chunk(std::size_t rows) {
    if (rows == rows_of_chunk) return true;
    const hsize_t chunk = rows;
    const bool is_first = std::exchange(rows_of_chunk, rows) == 0;
    return H5Pset_chunk(series, 1, &chunk) >= 0 &&
           (!is_first || (H5Pset_shuffle(series) >= 0 && H5Pset_deflate(series, compression) >= 0));
  }
};

// Some rows of a series, in the file and in memory.
struct Section {
  Section(hid_t dataset, hsize_t first, hsize_t count)
      : file(H5Dget_space(dataset), H5Sclose),
        memory(H5Screate_simple(1, &count, nullptr), H5Sclose) {
    is_selected = file && memory &&
                  H5Sselect_hyperslab(file, H5S_SELECT_SET, &first, nullptr, &count, nullptr) >= 0;
  }
  explicit operator bool() const { return is_selected; }

  Handle file, memory;
  bool is_selected = false;
};

class LibraryFile final : public File {
 public:
  explicit LibraryFile(Handle file) : file_(std::move(file)) { templates_.emplace(); }
  ~LibraryFile() override {
    const Call call;
    templates_.reset();
    const Handle closed = std::move(file_);
  }

  std::optional<Address> add_series(const std::string& path, std::size_t rows_of_chunk,
                                    const Texts& texts) override {
    const Call call;
    const hsize_t none = 0, all = H5S_UNLIMITED;
    const Handle space(H5Screate_simple(1, &none, &all), H5Sclose);
    if (!space || !templates_->set_chunk(rows_of_chunk)) return std::nullopt;
    const Handle dataset = create(path, space, templates_->series);
    return dataset && templates_->texts.add(dataset, texts) ? address_of(dataset) : std::nullopt;
  }

  std::optional<Address> add_number(const std::string& path, double value,
                                    const Texts& texts) override {
    const Call call;
    const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
    if (!space) return std::nullopt;
    const Handle dataset = create(path, space, templates_->number);
    const bool is_written =
        dataset && H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value) >= 0;
    return is_written && templates_->texts.add(dataset, texts) ? address_of(dataset) : std::nullopt;
  }

  bool link(const std::string& path, Address dataset, const Texts& texts) override {
    const Call call;
    const Handle object = at(dataset);
    return object && add_groups_of(path) &&
           H5Olink(object, file_, path.c_str(), templates_->names, H5P_DEFAULT) >= 0 &&
           templates_->texts.add(object, texts);
  }

  bool append(Address series, std::uint64_t rows, std::span<const double> values) override {
    const Call call;
    const Handle dataset = at(series);
    const hsize_t end = rows + values.size();
    if (!dataset || H5Dset_extent(dataset, &end) < 0) return false;
    const Section section(dataset, rows, values.size());
    return section && H5Dwrite(dataset, H5T_NATIVE_DOUBLE, section.memory, section.file,
                               H5P_DEFAULT, values.data()) >= 0;
  }

  std::optional<std::uint64_t> rows(Address series) override {
    const Call call;
    const Handle dataset = at(series);
    const Handle space(dataset ? H5Dget_space(dataset) : H5I_INVALID_HID, H5Sclose);
    hsize_t rows = 0;
    if (!space || H5Sget_simple_extent_ndims(space) != 1 ||
        H5Sget_simple_extent_dims(space, &rows, nullptr) < 0)
      return std::nullopt;
    return rows;
  }

  bool read_rows(Address series, std::uint64_t first, std::span<double> into) override {
    const Call call;
    const Handle dataset = at(series);
    if (!dataset) return false;
    const Section section(dataset, first, into.size());
    return section && H5Dread(dataset, H5T_NATIVE_DOUBLE, section.memory, section.file, H5P_DEFAULT,
                              into.data()) >= 0;
  }

  bool shorten(Address series, std::uint64_t rows) override {
    const Call call;
    const Handle dataset = at(series);
    const hsize_t end = rows;
    return dataset && H5Dset_extent(dataset, &end) >= 0;
  }

  bool flush() override {
    const Call call;
    return H5Fflush(file_, H5F_SCOPE_GLOBAL) >= 0;
  }

  std::optional<std::vector<Dataset>> datasets() override {
    const Call call;
    std::vector<Dataset> found;
    std::set<haddr_t> groups;
    if (!collect(file_, "", found, groups)) return std::nullopt;
    return found;
  }

  bool read(Address dataset, std::span<double> into) override {
    const Call call;
    const Handle object = at(dataset);
    const Handle space(object ? H5Dget_space(object) : H5I_INVALID_HID, H5Sclose);
    return space && H5Sget_simple_extent_npoints(space) == static_cast<hssize_t>(into.size()) &&
           H5Dread(object, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, into.data()) >= 0;
  }

 private:
  bool add_groups_of(const std::string& path) {
    for (std::size_t end = path.find('/'); end != std::string::npos;
         end = path.find('/', end + 1)) {
      const std::string name = path.substr(0, end);
      if (H5Lexists(file_, name.c_str(), H5P_DEFAULT) > 0) continue;
      const Handle group(
          H5Gcreate2(file_, name.c_str(), templates_->names, templates_->group, H5P_DEFAULT),
          H5Gclose);
      if (!group) return false;
    }
    return true;
  }
  Handle create(const std::string& path, hid_t space, hid_t list) {
    if (!add_groups_of(path)) return {H5I_INVALID_HID, H5Dclose};
    return {H5Dcreate2(file_, path.c_str(), H5T_NATIVE_DOUBLE, space, templates_->names, list,
                       H5P_DEFAULT),
            H5Dclose};
  }
  Handle at(Address dataset) {
    Handle object(H5Oopen_by_addr(file_, dataset), H5Oclose);
    const bool is_dataset = object && H5Iget_type(object) == H5I_DATASET;
    return is_dataset ? std::move(object) : Handle(H5I_INVALID_HID, H5Oclose);
  }
  static std::optional<Address> address_of(hid_t object) {
    H5O_info_t about;
    if (H5Oget_info(object, &about) < 0) return std::nullopt;
    return about.addr;
  }

  // A group that contains itself is entered only once. The depth is that of slashes in a name.
  static bool collect(hid_t group, const std::string& prefix, std::vector<Dataset>& found,
                      std::set<haddr_t>& groups) {
    const std::optional<Address> own = address_of(group);
    if (!own) return false;
    if (!groups.insert(*own).second || prefix.size() > longest_name) return true;
    const std::optional<std::vector<std::string>> names = names_in(group);
    if (!names) return false;
    for (const std::string& name : *names) {
      const Handle object(H5Oopen(group, name.c_str(), H5P_DEFAULT), H5Oclose);
      const std::optional<Address> address = object ? address_of(object) : std::nullopt;
      if (!address) return false;
      const H5I_type_t type = H5Iget_type(object);
      if (type == H5I_GROUP && !collect(object, prefix + name + "/", found, groups)) return false;
      if (type != H5I_DATASET) continue;
      std::optional<Dataset> dataset = described(object, prefix + name, *address);
      if (!dataset) return false;
      found.push_back(std::move(*dataset));
    }
    return true;
  }

  Handle file_;
  std::optional<Templates> templates_;
};

// The process that tries dangerous work prints nothing, leaves no core file and ends after a time.
[[noreturn]] void try_in_child(std::uint64_t bytes, const std::function<void()>& work) {
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere >= 0) {
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
  }
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGXCPU}) std::signal(number, SIG_DFL);
  constexpr rlim_t least_seconds = 60, bytes_in_a_second = 1'000'000;
  const rlim_t seconds = least_seconds + bytes / bytes_in_a_second;
  const rlimit none{0, 0}, time{seconds, seconds};
  setrlimit(RLIMIT_CORE, &none);
  setrlimit(RLIMIT_CPU, &time);
  try {
    work();
  } catch (...) {  // NOLINT: the caller will meet it as well
  }
  _exit(0);
}

class Hdf5Library final : public Library {
 public:
  Hdf5Library() {
    H5dont_atexit();  // or HDF5 complains at the end about what a damaged file has left open
    const Call call;
    H5PLset_loading_state(0);  // no foreign filter runs because a file names it
  }

  std::unique_ptr<File> create(Bytes& bytes) override {
    const Call call;
    const Handle access = access_to(bytes, Access::Write);
    const Handle list = properties(H5P_FILE_CREATE);
    const bool is_set = access && list && H5Pset_istore_k(list, half_of_index) >= 0 &&
                        H5Pset_obj_track_times(list, false) >= 0 &&
                        H5Pset_link_creation_order(list, creation_order) >= 0;
    if (!is_set) return nullptr;
    // HDF5 keeps the sizes of nodes in an object that it creates with the defaults for groups.
    H5Pset_obj_track_times(H5P_GROUP_CREATE_DEFAULT, false);
    Handle file(H5Fcreate("result", H5F_ACC_TRUNC, list, access), H5Fclose);
    H5Pset_obj_track_times(H5P_GROUP_CREATE_DEFAULT, true);
    return opened(std::move(file));
  }

  std::unique_ptr<File> open(Bytes& bytes, Access access) override {
    const Call call;
    const Handle list = access_to(bytes, access);
    const unsigned flags = access == Access::Read ? H5F_ACC_RDONLY : H5F_ACC_RDWR;
    return list ? opened({H5Fopen("result", flags, list), H5Fclose}) : nullptr;
  }

  bool survives(std::uint64_t bytes, const std::function<void()>& work) override {
    mutex().lock();  // no other thread is inside HDF5 when the process is copied
    const pid_t child = fork();
    mutex().unlock();
    if (child < 0) return true;  // no process can be started; what follows will show
    if (child == 0) try_in_child(bytes, work);
    int status = 0;
    while (waitpid(child, &status, 0) < 0) {
      if (errno != EINTR) return true;  // other code has waited for all children
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }

 private:
  static std::unique_ptr<File> opened(Handle file) {
    if (!file || !bound_cache(file)) return nullptr;
    return std::make_unique<LibraryFile>(std::move(file));
  }
};

}  // namespace
}  // namespace daedalus::report::hdf5

extern "C" __attribute__((visibility("default"))) daedalus::report::hdf5::Library*
daedalus_hdf5_library() {
  static daedalus::report::hdf5::Hdf5Library library;
  return &library;
}
