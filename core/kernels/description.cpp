#include "kernels/description.hpp"

#include "linear/multiply.hpp"
#include "linear/sparse.hpp"

namespace phasewise::kernels {
namespace {

constexpr std::int64_t most_rows = 20'000;  // a dense matrix then takes 3.2 GB
constexpr std::int64_t most_side = 20'000;  // the matrix of a Laplacian then takes 24 GB

parallel::KernelCard dense_eigen_card(const Description& d) {
  const double n = static_cast<double>(d.n), square = 8.0 * n * n;
  const bool symmetric = d.kernel == Kernel::dsyevd;
  const double cubes = symmetric ? (d.vectors ? 9.0 : 4.0 / 3.0) : (d.vectors ? 25.0 : 10.0);
  // A is read and written once, and so are the vectors of dgeev.
  const double matrices = symmetric || !d.vectors ? 2.0 : 4.0;
  return {.name = symmetric ? (d.vectors ? "dsyevd_vectors" : "dsyevd")
                            : (d.vectors ? "dgeev_vectors" : "dgeev"),
          .flops = cubes * n * n * n,
          .bytes = matrices * square,
          .vectorised = true,
          .touched = (matrices - 1.0) * square};
}

// The filter's degree is proportional to the side, and the bytes are those of products with four
// vectors at a time, as measured on 64² to 512² points.
parallel::KernelCard lanczos_card(double n) {
  const double rows = n * n, entries = 5.0 * rows - 4.0 * n, products = 30.0 * n;
  return {.name = "lanczos",
          .flops = products * (2.0 * entries + 8.0 * rows),
          .bytes = products * (3.0 * entries + 26.0 * rows),
          .vectorised = true,
          .touched = 12.0 * entries + 104.0 * rows};
}

parallel::KernelCard card_of_call(const Description& d) {
  const double n = static_cast<double>(d.n), rows = n * n, entries = 5.0 * rows - 4.0 * n;
  parallel::KernelCard card;
  switch (d.kernel) {
    case Kernel::dgemm:
      card = d.library == plain ? linear::plain_multiply_card(n) : linear::multiply_card(n);
      card.name = d.library == plain ? "plain_dgemm" : "dgemm";
      return card;
    case Kernel::csr:
      return linear::csr_card(rows, entries);
    case Kernel::sell:
      return linear::sell_card(rows, entries);
    case Kernel::lanczos:
      return lanczos_card(n);
    default:
      return dense_eigen_card(d);
  }
}

}  // namespace

Description::Description(const workload::Parameters& parameters) {
  kernel = static_cast<Kernel>(
      parameters.choice("kernels.kernel", {"dgemm", "dsyevd", "dgeev", "csr", "sell", "lanczos"}));
  library = parameters.word("kernels.library");
  repetitions = parameters.integer("kernels.repetitions");
  vectors = parameters.integer("kernels.vectors") != 0;
  verify = parameters.integer("kernels.verify") != 0;
  const bool dense = kernel <= Kernel::dgeev;
  n = parameters.integer_within("kernels.n", kernel == Kernel::lanczos ? 12 : 1,
                                dense ? most_rows : most_side);
  if (repetitions < 1) parameters.fail("kernels.repetitions", "give 1 or more");
  if (library == plain && kernel != Kernel::dgemm)
    parameters.fail("kernels.library", "only dgemm has plain loops");
  if (of_library() && !dense)
    parameters.fail("kernels.library", "only phasewise itself has sparse kernels");
  if (library == ours && (kernel == Kernel::dsyevd || kernel == Kernel::dgeev))
    parameters.fail("kernels.library",
                    "dense eigenproblems need a library: openblas, blis, "
                    "reference, or a path");
}

parallel::KernelCard card_of(const Description& d) {
  parallel::KernelCard card = card_of_call(d);
  card.item_by_item = true;  // all calls have the same data
  return card;
}

}  // namespace phasewise::kernels
