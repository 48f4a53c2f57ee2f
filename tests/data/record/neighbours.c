// Collectives among neighbours on four ranks: in an open row, in a graph in which rank r sends to
// the next two, and in a ring.
#include <mpi.h>
#include <stdlib.h>

int main(int count, char** words) {
  int me, ranks, open[1] = {0};
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int out[16] = {0}, in[16];
  MPI_Comm row, graph;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, open, 0, &row);
  MPI_Neighbor_alltoall(out, 3, MPI_INT, in, 3, MPI_INT, row);
  int to[2] = {(me + 1) % ranks, (me + 2) % ranks};
  int from[2] = {(me + ranks - 1) % ranks, (me + ranks - 2) % ranks};
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, from, MPI_UNWEIGHTED, 2, to, MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &graph);
  // To the first one as many bytes as the own rank and one more, to the second one 10 more.
  int sizes[2] = {me + 1, me + 11}, gets[2] = {from[0] + 1, from[1] + 11}, places[2] = {0, 30};
  MPI_Neighbor_alltoallv(out, sizes, places, MPI_BYTE, in, gets, places, MPI_BYTE, graph);
  MPI_Request request;
  MPI_Ineighbor_allgather(out, 5, MPI_INT, in, 5, MPI_INT, row, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  // A ring of four as a graph whose edges each rank names.
  int index[4] = {2, 4, 6, 8}, edges[8] = {1, 3, 0, 2, 1, 3, 0, 2};
  MPI_Comm ring;
  MPI_Graph_create(MPI_COMM_WORLD, 4, index, edges, 0, &ring);
  MPI_Neighbor_allgather(out, 1, MPI_INT, in, 1, MPI_INT, ring);
  MPI_Finalize();
  return 0;
}
