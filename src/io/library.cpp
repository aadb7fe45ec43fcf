#include "io/library.hpp"

#include <optional>

#include <dlfcn.h>
#include <fmt/core.h>
#include <link.h>

#include "base/text.hpp"

namespace tokenjoule {

void SharedLibrary::Close::operator()(void* handle) const { dlclose(handle); }

Result<SharedLibrary> SharedLibrary::open(const std::string& name) {
  // RTLD_NOW: a library that lacks something of its own fails here and not in the middle of a run.
  void* const handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* const reason = dlerror();
    return failure(ErrorKind::missing,
                   fmt::format("cannot open the library {}: {}", quoted(name),
                               quoted(reason == nullptr ? "no reason given" : reason, 300)),
                   "check the path, and that the library is for this machine");
  }
  return SharedLibrary(handle, name);
}

void* SharedLibrary::address_of(const char* symbol) const { return dlsym(handle_.get(), symbol); }

std::string SharedLibrary::soname() const {
  const link_map* map = nullptr;
  if (dlinfo(handle_.get(), RTLD_DI_LINKMAP, &map) != 0 || map == nullptr) return "";
  const char* names = nullptr;
  std::optional<ElfW(Xword)> name_at;
  for (const ElfW(Dyn)* entry = map->l_ld; entry->d_tag != DT_NULL; ++entry) {
    // The GNU loader has made an address of it, in place.
    if (entry->d_tag == DT_STRTAB) names = reinterpret_cast<const char*>(entry->d_un.d_ptr);
    if (entry->d_tag == DT_SONAME) name_at = entry->d_un.d_val;
  }
  return names != nullptr && name_at ? std::string(names + *name_at) : std::string();
}

Error SharedLibrary::lacks(const char* function_name) const {
  return {.kind = ErrorKind::missing,
          .message = fmt::format("the library {} has no function {}", quoted(name_), function_name),
          .hint = "install a newer version of it"};
}

}  // namespace tokenjoule
