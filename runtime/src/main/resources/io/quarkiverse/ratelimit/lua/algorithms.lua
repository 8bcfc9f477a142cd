-- Begins every script: the locals that all functions share.
--
-- A file defines the function of its own path, such as `fixed_window/acquire`. Files of a folder share their locals. A script
-- contains only the files that its requests need, because creating a function takes longer than calling it. ScriptFile.java
-- lists all files in their order.
--
-- A line such as `local STATE = '<dI4' -- ends used` declares the layout of a message or of a stored state: its format for
-- `struct` and the names of its fields. Layout.java reads that line to pack the arguments.
--
-- The states that are strings have a different size per algorithm. A function ignores a state that another algorithm left.
local REPLY = '<ddddd' -- granted first second third fourth
-- The most permits that a state counts, so that more calls cannot exceed the exact numbers of Lua.
local MAX_PERMITS_KEPT = 1e15
local functions, check_memory, rewritten, decide_together, prefetched = {}, nil, nil, nil, nil
-- The kinds of calls that acquire permits: ordinals of OperationKind.java.
local CHARGE, PEEK, PREFETCH = 2, 3, 4

-- Redis checks `maxmemory` only until a script has written once. So every acquire and every repair begins with a command that
-- fails when memory is full (SET, LPUSH, RPUSH, LSET, ZADD). A refund needs no memory and writes even then, but it calls
-- check_memory first. If memory is full, `no_memory` becomes the error of all later calls that acquire permits. It is nil
-- before the check.
local no_memory

-- Returns the unpacked value of a key, or nothing if it is not a string of this size. If `longer` is given, the string may also
-- be longer by a number of bytes that `may_follow` allows, and is then unpacked with that format.
local function stored(key, format, size, longer, may_follow)
  local state = redis.pcall('GET', key)
  if state and (#state == size or longer and #state > size and may_follow(#state - size)) then
    return struct.unpack(#state == size and format or longer, state)
  elseif state and state.err and not state.err:find('WRONGTYPE', 1, true) then
    error(state)
  end
end

-- How many permits a call gets when `available` are left: `cost`, or else the largest multiple of `least` that is left. A free
-- call (`cost` is 0) is always allowed: it gets 1, and peeks, so that it is not charged.
local function grant(cost, least, kind, available)
  if cost == 0 then
    return 1
  elseif cost <= available or kind == CHARGE then
    return cost
  end
  return available < least and 0 or available - available % least
end
