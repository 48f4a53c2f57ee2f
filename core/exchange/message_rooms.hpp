// Room for the messages in one memory that cannot be sent or received where their data lie.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "exchange/exchange.hpp"
#include "exchange/memory.hpp"

namespace phasewise::exchange {

class MessageRooms {
 public:
  explicit MessageRooms(std::shared_ptr<Memory> memory) : memory_(std::move(memory)) {}
  MessageRooms(const MessageRooms&) = delete;
  MessageRooms& operator=(const MessageRooms&) = delete;
  ~MessageRooms() {
    for (const Room& room : rooms_) memory_->release(room.data);
  }

  Memory& memory() const { return *memory_; }
  // Room for at least this many bytes; its contents are lost if it grows.
  std::byte* outgoing(Channel channel, std::int64_t bytes) {
    return at_least(number(channel), bytes);
  }
  std::byte* incoming(Channel channel, std::int64_t bytes) {
    return at_least(channels + number(channel), bytes);
  }
  // The rooms of transposes, with a slot for each member.
  std::byte* slots_out(std::int64_t bytes) { return at_least(2 * channels, bytes); }
  std::byte* slots_in(std::int64_t bytes) { return at_least(2 * channels + 1, bytes); }

 private:
  struct Room {
    std::byte* data = nullptr;
    std::int64_t size = 0;  // B
  };
  static std::size_t number(Channel channel) { return static_cast<std::size_t>(channel); }
  std::byte* at_least(std::size_t number, std::int64_t bytes) {
    Room& room = rooms_[number];
    if (bytes <= room.size) return room.data;
    memory_->release(std::exchange(room, {}).data);
    room.data = memory_->allocate(bytes);
    room.size = bytes;
    return room.data;
  }

  std::shared_ptr<Memory> memory_;
  std::array<Room, 2 * channels + 2> rooms_;
};

}  // namespace phasewise::exchange
