// Twelve loops whose fate is known, in lambdas, templates and loops over a range.
#include <cstdint>
#include <vector>

namespace {

inline double square(double x) { return x * x; }

template <class F>
void each(int n, F&& f) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) f(i);
}

}  // namespace

double never(double x);
constexpr auto text = R"(for (;;) { do)" "while (";
constexpr int many = 1'000'000;

void squares(double* __restrict a, const double* __restrict b, int n) {
  for (int i = 0; i < n; ++i) {
    a[i] = square(b[i]);
  }
}

double total(const std::vector<double>& values) {
  double s = 0.0;
#pragma omp simd reduction(+ : s)
  for (std::size_t i = 0; i < values.size(); ++i) s += values[i];
  return s;
}

void shared(double* a, int n) {
  each(n, [&](int i) {
    for (int k = 0; k < many; ++k) a[i] = never(a[i]);
  });
}

std::int64_t count(const std::vector<int>& given) {
  std::int64_t n = 0;
  for (const int value : given) n += value;
  return n;
}

void scatter(float* a, const float* b, const int* index, int n) {
  for (int i = 0; i < n; ++i) a[index[i]] += b[i];
}

void choose(double* __restrict a, const double* __restrict b, int n) {
  for (int i = 0; i < n; ++i) {
    if (b[i] > 0.0)
      a[i] = never(b[i]);
    else
      a[i] = 1.0;
  }
}

void wide(long double* a, int n) {
  for (int i = 0; i < n; ++i) a[i] *= 2.0L;
}

int search(const int* a, int n) {
  int i = 0;
  for (; i < n; ++i) {
    switch (a[i]) {
      case 3: {
        return i;
      }
      default:
        break;
    }
  }
  return i;
}

void triangle(double* __restrict a, const double* __restrict b, int n) {
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < j; ++i) a[j] += b[i * n + j];
}

template <class T>
void unused(T* a, int n) {
  for (int i = 0; i < n; ++i) a[i] = 1;
}
