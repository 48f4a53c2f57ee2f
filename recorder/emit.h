// How a call gets into the trace and the statistics.
#pragma once
#include "recorder.h"

void emit(Frame* frame, const Call* call, Amount amount, const int32_t* tags);

static inline Call call_of(const Frame* frame) {
  return (Call){.function = (uint32_t)frame->function,
                .site = frame->site,
                .space = NOBODY,
                .peer = NOBODY,
                .source = NOBODY,
                .slot = -1};
}
