// Twelve loops whose fate is known. for (int no = 0; no < 1; ++no) "is a comment";
#define LOOP(n) for (int k = 0; k < (n); ++k)
double out_of_sight(double);
const char* text = "for (;;) { while (1) { /* no loop */";

void add(double* restrict a, const double* restrict b, int n) {
  for (int i = 0; i < n; ++i) a[i] += 2.0 * b[i];
}

void recur(double* restrict a, const double* restrict b, int n) {
  for (int i = 1; i < n; ++i) {
    a[i] = a[i - 1] * b[i];
  }
}

void call(double* restrict a, const double* restrict b, int n) {
  for (int i = 0; i < n; ++i)
    a[i] = out_of_sight(b[i]);
}

int find(const double* a, int n) {
  for (int i = 0; i < n; ++i)
    if (a[i] < 0.0) return i;
  return -1;
}

struct list {
  struct list* next;
  double value;
};

double walk(const struct list* at) {
  double s = 0.0;
  while (at) {
    s += at->value;
    at = at->next;
  }
  return s;
}

void clear(double* a, int n) {
  for (int i = 0; i < n; ++i) a[i] = 0.0;
}

void rows(double* restrict a, const double* restrict b, int n) {
#pragma omp parallel for
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) a[j * n + i] = 2.0f * b[j * n + i];
  }
}

void blocks(float* restrict a, const float* restrict b, int n) {
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < 2; ++k)
      a[i] += b[2 * i + k];
}

void change(volatile double* a, int n) {
  int i = 0;
  do {
    a[i] = 1.0;
    ++i;
  } while (i < n);
}

unsigned long draw(unsigned long* a, int n, unsigned long x) {
  for (int i = 0; i < n; ++i) { x = x * 6364136223846793005ul + 1; a[i] = x; }
  return x;
}
