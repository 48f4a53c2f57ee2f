"""The messages of one rank, from its calls: each send, and each receive with what came."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from phasewise.recorder import kinds
from phasewise.recorder.calls import CANCELLED, NOBODY, PERSISTENT, RECEIVES, WILD, Calls
from phasewise.recorder.varints import Integers, smallest


@dataclass(frozen=True)
class Ends:
    """Sends or receives of a rank: arrays (n,) in the order of posting.

    space: the rank's number of the communicator; peer: the world rank at the other end; call: the
    call that posted it; done: that with which it was complete, -1 if none was seen.
    """

    space: Integers
    peer: Integers
    tag: Integers
    bytes: Integers
    call: Integers
    done: Integers

    def __len__(self) -> int:
        return len(self.call)

    def chosen(self, which: Integers) -> Ends:
        return Ends(*(getattr(self, name)[which] for name in self.__dataclass_fields__))

    @staticmethod
    def of(*columns: Integers) -> Ends:
        """Ends from columns of any integers, in as little memory as their values need."""
        kinds_of = (np.int32, np.int32, np.int32, np.int64, np.int32, np.int32)
        return Ends(*(np.asarray(one, k) for one, k in zip(columns, kinds_of, strict=True)))


def _joined(parts: list[Ends]) -> Ends:
    names = list(Ends.__dataclass_fields__)
    whole = Ends.of(*(np.concatenate([getattr(part, n) for part in parts]) for n in names))
    return whole.chosen(np.argsort(whole.call, kind="stable"))


@dataclass(frozen=True)
class Completions:
    """What calls such as MPI_Wait completed: arrays (n,); source and tag count where `wild`."""

    call: Integers
    slot: Integers
    flags: Integers
    bytes: Integers
    source: Integers
    tag: Integers


def completions(calls: Calls) -> Completions:
    """Everything that the calls of a rank completed, in order."""
    one = calls.named(kinds.COMPLETIONS)
    listed = one[calls.of("list")[one] > 0]
    single = one[(calls.of("list")[one] == 0) & (calls.of("slot")[one] >= 0)]
    flags = calls.of("flags")[single]
    wild = (flags & WILD) > 0
    tag = np.zeros(len(single), np.int64)
    tag[wild] = calls.tags[calls.first_tag[single[wild]]]
    size, source = calls.of("received")[single], calls.of("peer")[single]
    columns = [[single, calls.of("slot")[single], flags, size, source, tag]]
    columns += [list(column) for column in _of_lists(calls, listed)]
    order = np.argsort(np.concatenate([part[0] for part in columns]), kind="stable")
    joined = (np.concatenate([smallest(part[k]) for part in columns]) for k in range(6))
    return Completions(*(column[order] for column in joined))


def _of_lists(calls: Calls, listed: Integers) -> Iterator[tuple[Integers, ...]]:
    """What calls with lists completed, for all calls with the same list together."""
    if not len(listed):
        return
    number = calls.of("list")[listed]
    order = np.argsort(number, kind="stable")
    edges = np.flatnonzero(np.diff(number[order], prepend=-1))
    for first, last in zip(edges, np.append(edges[1:], len(order)), strict=True):
        own = listed[order[first:last]]
        rows = _items(calls.entries.lists[int(number[order[first]]) - 1])
        if len(rows) == 0:
            continue
        slot, flags, size, source = map(smallest, rows.T)
        wild = (flags & WILD) > 0
        place: Integers = np.cumsum(wild) - wild
        tag = np.zeros((len(own), len(rows)), np.int32)
        tag[:, wild] = calls.tags[calls.first_tag[own][:, None] + place[wild]]
        times = len(own)
        repeated = (np.tile(column, times) for column in (slot, flags, size, source))
        yield np.repeat(smallest(own), len(rows)), *repeated, tag.ravel()


def _items(numbers: Integers) -> Integers:
    """Slot, flags, bytes and source of each request in a list of completions (n, 4)."""
    rows, rest = [], iter(numbers.tolist())
    for head in rest:
        slot, flags = head >> 3, head & 7
        size = next(rest) if flags & RECEIVES else 0
        source = NOBODY
        if flags & WILD:
            code = next(rest)
            source = (code >> 1) ^ -(code & 1)
        rows.append((slot, flags, size, source))
    return np.array(rows, np.int64).reshape(-1, 4)


def last_before(slot: Integers, call: Integers, wanted: Integers, at: Integers) -> Integers:
    """For each slot in `wanted`, the place of the last row with this `slot` whose `call` comes
    before `at`, or -1.
    """
    if not len(slot):
        return np.full(len(wanted), -1)
    span = 1 + max(int(call.max()), int(at.max(initial=0)))
    keys = slot.astype(np.int64) * span + call
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    place = np.searchsorted(keys, wanted.astype(np.int64) * span + at, side="left") - 1
    found = np.where(place >= 0, order[np.maximum(place, 0)], -1)
    return np.where((found >= 0) & (slot[np.maximum(found, 0)] == wanted), found, -1)


def messages(calls: Calls) -> tuple[Ends, Ends]:
    """The sends and the receives of a rank in the order in which messages are matched; what was
    cancelled, and receives that never completed, are left out.
    """
    sends, receives = [_sends(calls)], [_receives(calls)]
    posted = _posted(calls)
    plain = (calls.of("flags")[posted.call] & PERSISTENT) == 0
    if not np.all(plain):
        posted = _merged(posted.chosen(np.flatnonzero(plain)), _starts(calls, posted))
    done = completions(calls)
    # A call completes what was posted before it.
    place = last_before(posted.slot, posted.call, done.slot, done.call)
    sends.append(_sent(calls, posted, done, place))
    receives.append(_received(posted, done, place))
    del posted, done, place
    sent, received = _joined(sends), _joined(receives)
    order = np.argsort(taken(calls)[received.call], kind="stable")
    return sent.chosen(np.flatnonzero(sent.peer >= 0)), received.chosen(order)


def taken(calls: Calls) -> Integers:
    """For each call (n,) the one that took the message which it receives: a matched probe takes it,
    in whatever order messages are received afterwards; else the call itself.
    """
    found = np.arange(len(calls))
    probes, at = calls.named({"Mprobe", "Improbe"}), calls.named({"Mrecv", "Imrecv"})
    probes = probes[calls.of("slot")[probes] >= 0]
    place = last_before(calls.of("slot")[probes], probes, calls.of("slot")[at], at)
    found[at[place >= 0]] = probes[place[place >= 0]]
    return found


def _tag(calls: Calls, at: Integers, place: int = 0) -> Integers:
    """The tags of calls, 0 where they have none."""
    found = np.zeros(len(at), np.int64)
    has = calls.of("tags")[at] > place
    found[has] = calls.tags[calls.first_tag[at[has]] + place]
    return found


def _ends(calls: Calls, at: Integers, peer: str, size: str, tag: Integers) -> Ends:
    columns = (calls.of("space")[at], calls.of(peer)[at], tag, calls.of(size)[at])
    return Ends.of(*columns, at, at)


def _sends(calls: Calls) -> Ends:
    at = calls.named(kinds.SENDS | kinds.EXCHANGES)
    return _ends(calls, at, "peer", "sent", _tag(calls, at))


def _receives(calls: Calls) -> Ends:
    at = calls.named(kinds.RECEIVES)
    one = _ends(calls, at, "peer", "received", _tag(calls, at))
    at = calls.named(kinds.EXCHANGES)
    # The tag of the send comes first, if there is a send.
    tag = np.where(calls.of("peer")[at] >= 0, _tag(calls, at, 1), _tag(calls, at))
    both = _joined([one, _ends(calls, at, "source", "received", tag)])
    return both.chosen(np.flatnonzero(both.peer >= 0))


@dataclass(frozen=True)
class Posted:
    """Requests that were posted: arrays (n,). `sends`, where they send; for receives `source`."""

    call: Integers
    slot: Integers
    space: Integers
    receives: Integers
    source: Integers
    tag: Integers
    sends: Ends

    def chosen(self, which: Integers) -> Posted:
        return Posted(
            self.call[which],
            self.slot[which],
            self.space[which],
            self.receives[which],
            self.source[which],
            self.tag[which],
            self.sends.chosen(which),
        )


def _posted(calls: Calls) -> Posted:
    names = kinds.POSTED_SENDS | kinds.POSTED_RECEIVES | kinds.POSTED_EXCHANGES | kinds.PERSISTENT
    at = calls.named(names)
    receives = (calls.of("flags")[at] & RECEIVES) > 0
    both = calls.among(at, kinds.POSTED_EXCHANGES)
    sends = _ends(calls, at, "peer", "sent", _tag(calls, at))
    only = receives & ~both
    none = np.where(only, NOBODY, sends.peer)
    sends = Ends.of(sends.space, none, sends.tag, sends.bytes, at, np.full(len(at), -1))
    source = np.where(both, calls.of("source")[at], calls.of("peer")[at])
    second = both & (calls.of("peer")[at] >= 0)
    tag = np.where(second, _tag(calls, at, 1), _tag(calls, at))
    slot, space = calls.of("slot")[at], calls.of("space")[at]
    other = receives.astype(np.int8), smallest(source), smallest(tag)
    return Posted(smallest(at), slot, space, *other, sends)


def started(calls: Calls) -> tuple[Integers, Integers]:
    """Each start of a persistent request: the call (n,) that starts it, and the one (n,) that made
    the request.
    """
    made = np.flatnonzero((calls.of("flags") & PERSISTENT > 0) & (calls.of("slot") >= 0))
    at = calls.named(kinds.STARTS)
    single = at[(calls.of("list")[at] == 0) & (calls.of("slot")[at] >= 0)]
    call, slot = [single], [calls.of("slot")[single]]
    for one in at[calls.of("list")[at] > 0].tolist():
        listed = calls.entries.lists[int(calls.of("list")[one]) - 1]
        call.append(np.full(len(listed), one))
        slot.append(listed)
    calls_at, slots = np.concatenate(call), np.concatenate(slot)
    order = np.argsort(calls_at, kind="stable")
    calls_at, slots = calls_at[order], slots[order]
    found = last_before(calls.of("slot")[made], made, slots, calls_at)
    known = found >= 0
    return calls_at[known], made[found[known]]


def _starts(calls: Calls, posted: Posted) -> Posted:
    """Each start of a persistent message, as if it were posted then."""
    when, made = started(calls)
    ours = np.isin(made, posted.call)
    when, made = when[ours], made[ours]
    own = posted.chosen(np.searchsorted(posted.call, made))
    s = own.sends
    sends = Ends.of(s.space, s.peer, s.tag, s.bytes, when, np.full(len(when), -1))
    return Posted(when, own.slot, own.space, own.receives, own.source, own.tag, sends)


def _merged(one: Posted, other: Posted) -> Posted:
    def both(name: str) -> Integers:
        return np.concatenate([getattr(one, name), getattr(other, name)])

    columns = [getattr(x.sends, n) for n in Ends.__dataclass_fields__ for x in (one, other)]
    pairs = zip(columns[::2], columns[1::2], strict=True)
    sends = Ends.of(*(np.concatenate(pair) for pair in pairs))
    whole = Posted(
        both("call"),
        both("slot"),
        both("space"),
        both("receives"),
        both("source"),
        both("tag"),
        sends,
    )
    return whole.chosen(np.argsort(whole.call, kind="stable"))


def _sent(calls: Calls, own: Posted, done: Completions, place: Integers) -> Ends:
    """The sends among posted requests, each with the call that completed it; place: the request
    that each completion belongs to, or -1.
    """
    known = np.flatnonzero(place >= 0)[::-1]
    when = np.full(len(own.call), -1, np.int32)
    # The first one counts: later ones are of a collective that has taken the slot.
    when[place[known]] = done.call[known]
    freed = calls.named({"Request_free"})
    ended = last_before(own.slot, own.call, calls.of("slot")[freed], freed)
    freed, ended = freed[ended >= 0], ended[ended >= 0]
    when[ended[when[ended] > freed]] = -1
    kept = np.ones(len(when), np.bool_)
    kept[place[known[done.flags[known] & CANCELLED > 0]]] = False
    return replace(own.sends, done=when).chosen(np.flatnonzero(kept))


def _received(own: Posted, done: Completions, place: Integers) -> Ends:
    """The receives among posted requests that were completed; place: as for `_sent`."""
    got = (done.flags & RECEIVES > 0) & (done.flags & CANCELLED == 0)
    at = np.flatnonzero(got & (place >= 0))
    place = place[at]
    wild = (done.flags[at] & WILD) > 0
    peer = np.where(wild, done.source[at], own.source[place])
    tag = np.where(wild, done.tag[at], own.tag[place])
    found = Ends.of(own.space[place], peer, tag, done.bytes[at], own.call[place], done.call[at])
    return found.chosen(np.flatnonzero(found.peer >= 0))
