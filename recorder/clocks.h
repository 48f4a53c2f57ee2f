// The clocks of the ranks beside that of rank 0: what is to be added to this rank's to get rank
// 0's [ns]. All ranks take part in either.
#pragma once
#include "recorder.h"

int64_t align_clocks(int rank, int ranks);
int64_t align_clocks_again(void);
