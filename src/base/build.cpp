#include "daedalus/base/build.hpp"

#include <elf.h>
#include <link.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace daedalus {
namespace {

struct Search {
  std::uintptr_t code = 0;  // an address in the wanted object
  std::string identity = {};
};

std::size_t padded(std::size_t size) { return (size + 3) & ~std::size_t{3}; }

// The build ID in the notes of an object, in hexadecimal digits.
std::string identity_in(const char* notes, std::size_t size) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  ElfW(Nhdr) header;
  while (size >= sizeof header) {
    std::memcpy(&header, notes, sizeof header);
    const std::size_t name = padded(header.n_namesz), content = padded(header.n_descsz);
    if (sizeof header + name + content > size) break;
    const char* const bytes = notes + sizeof header + name;
    const bool is_gnu = header.n_namesz == 4 && std::memcmp(notes + sizeof header, "GNU", 4) == 0;
    if (header.n_type == NT_GNU_BUILD_ID && is_gnu) {
      for (std::size_t i = 0; i < header.n_descsz; ++i) {
        const auto byte = static_cast<unsigned char>(bytes[i]);
        text += digits[byte >> 4U];
        text += digits[byte & 15U];
      }
      return text;
    }
    notes += sizeof header + name + content;
    size -= sizeof header + name + content;
  }
  return text;
}

// Not 0: this was the wanted object.
int look_at(dl_phdr_info* object, std::size_t, void* data) {
  auto& search = *static_cast<Search*>(data);
  bool is_it = false;
  for (std::size_t i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = object->dlpi_phdr[i];
    const std::uintptr_t begin = object->dlpi_addr + part.p_vaddr;
    is_it |= part.p_type == PT_LOAD && search.code >= begin && search.code < begin + part.p_memsz;
  }
  for (std::size_t i = 0; i < object->dlpi_phnum && is_it && search.identity.empty(); ++i) {
    const ElfW(Phdr)& part = object->dlpi_phdr[i];
    if (part.p_type != PT_NOTE) continue;
    const auto* notes = std::bit_cast<const char*>(object->dlpi_addr + part.p_vaddr);
    search.identity = identity_in(notes, part.p_memsz);
  }
  return is_it ? 1 : 0;
}

}  // namespace

// The linker's digest of everything in the object that contains this function.
std::string build_identity() {
  static const std::string identity = [] {
    Search search{.code = reinterpret_cast<std::uintptr_t>(&look_at)};
    dl_iterate_phdr(look_at, &search);
    return search.identity;
  }();
  return identity;
}

}  // namespace daedalus
