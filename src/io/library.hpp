#pragma once

#include <memory>
#include <string>

#include "base/result.hpp"

namespace tokenjoule {

/// A shared library opened at run time, closed with the object. What was found in it must not be
/// called after that.
class SharedLibrary {
 public:
  /// By name ("libnvidia-ml.so.1", searched where the system's loader looks) or by path. All its
  /// own symbols must resolve; its names are not given to anybody else. Error `missing`: not there,
  /// or not loadable, in the loader's words.
  static Result<SharedLibrary> open(const std::string& name);

  const std::string& name() const { return name_; }
  /// What the library calls itself, with the version of its interface: "libamd_smi.so.26"; "" if it
  /// does not.
  std::string soname() const;

  /// The function of that name, nullptr if the library has none. The caller vouches for its type.
  template <typename Function>
  Function* function(const char* function_name) const {
    return reinterpret_cast<Function*>(address_of(function_name));
  }
  /// The same, where its absence is an error `missing` that names it.
  template <typename Function>
  Result<Function*> need_function(const char* function_name) const {
    Function* const found = function<Function>(function_name);
    if (found == nullptr) return unexpected(lacks(function_name));
    return found;
  }

 private:
  struct Close {
    void operator()(void* handle) const;
  };
  SharedLibrary(void* handle, std::string name) : handle_(handle), name_(std::move(name)) {}
  void* address_of(const char* symbol) const;
  Error lacks(const char* function_name) const;

  std::unique_ptr<void, Close> handle_;
  std::string name_;
};

}  // namespace tokenjoule
