#include "kernels/library.hpp"

#include <dlfcn.h>
#include <glob.h>

#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <vector>

namespace phasewise::kernels {
namespace {

// The places where packages put a library, as patterns, and the package that an error names. The
// dynamic linker searches for a pattern without a folder.
struct Known {
  const char* name;
  const char* package;
  std::vector<const char*> blas, lapack;
};

const std::vector<Known>& known() {
  // OpenBLAS contains a LAPACK. BLIS contains none: the reference LAPACK runs on it, since the
  // linker takes the BLAS that has been loaded before.
  static const std::vector<const char*> reference = {"/usr/lib/*/lapack/liblapack.so.3",
                                                     "/usr/lib64/liblapack.so.3"};
  static const std::vector<Known> all = {
      {"openblas",
       "libopenblas0-serial",
       {"/usr/lib/*/openblas-serial/libopenblas.so.0",
        "/usr/lib/*/openblas-pthread/libopenblas.so.0",
        "/usr/lib/*/openblas-openmp/libopenblas.so.0", "libopenblas.so.0"},
       {}},
      {"blis",
       "libblis4-serial",
       {"/usr/lib/*/blis-serial/libblas.so.3", "/usr/lib/*/blis-pthread/libblas.so.3",
        "/usr/lib/*/blis-openmp/libblas.so.3", "libblis.so.4"},
       reference},
      {"reference",
       "libblas3",
       {"/usr/lib/*/blas/libblas.so.3", "/usr/lib64/libblas.so.3"},
       reference},
  };
  return all;
}

std::vector<std::string> paths_of(const char* pattern) {
  glob_t found{};
  std::vector<std::string> paths;
  if (glob(pattern, GLOB_NOCHECK, nullptr, &found) == 0)
    paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  globfree(&found);
  return paths;
}

// Loads the first library that it finds, and makes its symbols visible to all that is loaded later.
void* open_first(const std::vector<const char*>& patterns) {
  for (const char* pattern : patterns)
    for (const std::string& path : paths_of(pattern))
      if (void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL)) return handle;
  return nullptr;
}

[[noreturn]] void missing(const std::string& name, const std::string& what) {
  throw std::invalid_argument("the library \"" + name + "\" cannot be loaded: " + what);
}

extern "C" {
using Dgemm = void(const char*, const char*, const int*, const int*, const int*, const double*,
                   const double*, const int*, const double*, const int*, const double*, double*,
                   const int*);
using Dsyevd = void(const char*, const char*, const int*, double*, const int*, double*, double*,
                    const int*, int*, const int*, int*);
using Dgeev = void(const char*, const char*, const int*, double*, const int*, double*, double*,
                   double*, const int*, double*, const int*, double*, const int*, int*);
}

void check(int info, const char* solver) {
  if (info != 0)
    throw std::runtime_error(std::string(solver) + " ended with info = " + std::to_string(info));
}

}  // namespace

const Library& Library::load(const std::string& name) {
  static std::unique_ptr<const Library> loaded;
  if (!loaded) loaded.reset(new Library(name));
  if (loaded->name_ != name)
    missing(name, "this process has \"" + loaded->name_ + "\" already, and can have one");
  return *loaded;
}

Library::Library(const std::string& name) : name_(name) {
  for (const char* threads : {"OPENBLAS_NUM_THREADS", "BLIS_NUM_THREADS"}) setenv(threads, "1", 1);
  for (const Known& one : known()) {
    if (name != one.name) continue;
    blas_ = open_first(one.blas);
    if (blas_ == nullptr) missing(name, std::string("install the package ") + one.package);
    lapack_ = one.lapack.empty() ? blas_ : open_first(one.lapack);
    return;
  }
  blas_ = lapack_ = dlopen(name.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (blas_ == nullptr) missing(name, dlerror());
}

void* Library::symbol(const char* name) const {
  for (void* handle : {blas_, lapack_})
    if (void* found = handle == nullptr ? nullptr : dlsym(handle, name)) return found;
  if (lapack_ == nullptr) missing(name_, "it has no LAPACK; install the package liblapack3");
  missing(name_, std::string("it lacks the function ") + name);
}

void Library::dgemm(std::int64_t n, const double* a, const double* b, double* c) const {
  const int size = static_cast<int>(n);
  const double one = 1.0, zero = 0.0;
  reinterpret_cast<Dgemm*>(symbol("dgemm_"))("N", "N", &size, &size, &size, &one, a, &size, b,
                                             &size, &zero, c, &size);
}

void Library::dsyevd(bool vectors, std::int64_t n, double* a, double* values) const {
  auto* solve = reinterpret_cast<Dsyevd*>(symbol("dsyevd_"));
  const int size = static_cast<int>(n), query = -1;
  const char* job = vectors ? "V" : "N";
  double best = 0.0;
  int best_integers = 0, info = 0;
  solve(job, "L", &size, a, &size, values, &best, &query, &best_integers, &query, &info);
  check(info, "dsyevd");
  std::vector<double> work(static_cast<std::size_t>(best));
  std::vector<int> integers(best_integers);
  const int length = static_cast<int>(best);
  solve(job, "L", &size, a, &size, values, work.data(), &length, integers.data(), &best_integers,
        &info);
  check(info, "dsyevd");
}

void Library::dgeev(bool vectors, std::int64_t n, double* a, double* real, double* imaginary,
                    double* right) const {
  auto* solve = reinterpret_cast<Dgeev*>(symbol("dgeev_"));
  const int size = static_cast<int>(n), query = -1, one = 1;
  const char* job = vectors ? "V" : "N";
  double best = 0.0, none = 0.0;
  int info = 0;
  solve("N", job, &size, a, &size, real, imaginary, &none, &one, right, &size, &best, &query,
        &info);
  check(info, "dgeev");
  std::vector<double> work(static_cast<std::size_t>(best));
  const int length = static_cast<int>(best);
  solve("N", job, &size, a, &size, real, imaginary, &none, &one, right, &size, work.data(), &length,
        &info);
  check(info, "dgeev");
}

}  // namespace phasewise::kernels
