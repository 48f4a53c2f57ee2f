// The clocks of the ranks beside that of rank 0.
#pragma once
#include "recorder.h"

typedef struct {
  uint64_t clock;    // the same for ranks that share a clock
  int64_t seconds;   // to be added to this rank's clock to get rank 0's [ns]
  int64_t messages;  // that this rank sent for it
} Offset;

Offset align_clocks(int rank, int ranks);
Offset align_clocks_again(void);
