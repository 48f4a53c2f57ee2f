// How far two cores are from each other, in time.
#pragma once

namespace phasewise::probe {

// The seconds that a cache line takes from one core to another, numbered as the operating system
// does: half of a round trip between two threads, each bound to one of them. It is the least of
// several means, and takes some milliseconds, or a quarter of a second on a busy machine. NaN where
// threads cannot be made or bound to both cores.
double seconds_between_cores(int first, int second);

}  // namespace phasewise::probe
