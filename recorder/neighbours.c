// The neighbours of a rank in a communicator with a topology, in the order in which collectives
// among neighbours take them (MPI 4.1, section 8.6).
#include <stdlib.h>
#include <string.h>

#include "calls.h"

// The kind of the topology, and how many ranks this one receives from and sends to.
static int count(MPI_Comm communicator, int me, int* in, int* out) {
  int kind = MPI_UNDEFINED, weighted;
  *in = *out = 0;
  real_MPI_Topo_test(communicator, &kind);
  if (kind == MPI_CART) {
    real_MPI_Cartdim_get(communicator, in);
    *in = *out = 2 * *in;
  } else if (kind == MPI_GRAPH) {
    real_MPI_Graph_neighbors_count(communicator, me, in);
    *out = *in;
  } else if (kind == MPI_DIST_GRAPH) {
    real_MPI_Dist_graph_neighbors_count(communicator, in, out, &weighted);
  }
  return kind;
}

void neighbours(MPI_Comm communicator, int* in, int* out) {
  count(communicator, space_of(communicator)->me, in, out);
}

void tell_neighbours(const Space* space, MPI_Comm communicator) {
  int in, out;
  const int kind = count(communicator, space->me, &in, &out);
  if (in + out == 0) return;
  int *from = calloc(2 * (size_t)(in + out), sizeof *from), *to = from + in, *weights = to + out;
  if (!from) abort();
  if (kind == MPI_CART)
    for (int k = 0; k < in; k += 2)
      real_MPI_Cart_shift(communicator, k / 2, 1, &from[k], &from[k + 1]);
  else if (kind == MPI_GRAPH)
    real_MPI_Graph_neighbors(communicator, space->me, in, from);
  else
    real_MPI_Dist_graph_neighbors(communicator, in, from, weights, out, to, weights + in);
  if (kind != MPI_DIST_GRAPH) memcpy(to, from, sizeof *from * (size_t)in);
  define_neighbours(space, in, from, out, to);
  free(from);
}
