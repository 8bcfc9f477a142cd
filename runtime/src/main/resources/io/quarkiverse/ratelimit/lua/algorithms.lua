-- Opens every script with the functions that all algorithms share.
--
-- The states that are strings have a different size per algorithm. A function ignores a state that another algorithm left.
local functions, decide_together = {}, nil
local CHARGE, PEEK = 2, 3
-- Whether the script runs rare operations, such as refunds. Otherwise it does not create their functions, because creating a
-- function takes longer than calling it.
local RARE = false

-- Redis checks `maxmemory` only until a script has written once. So every acquire and every repair begins with a command that
-- fails when memory is full (SET, LPUSH, RPUSH, LSET, ZADD). A refund needs no memory and writes even then, but it calls
-- check_memory first. If memory is full, `no_memory` becomes the error of all later calls that acquire permits. It is nil
-- before the check.
local no_memory

-- Leaves no trace: the key exists already, or is deleted next. A script with only one key has no later calls to check for.
local check_memory = RARE and function(key)
  if #KEYS > 1 and no_memory == nil then
    local reply = redis.pcall('SET', key, '', 'NX', 'PX', '1')
    no_memory = reply and reply.err and reply.err:find('OOM', 1, true) and reply or false
  end
end

-- Returns the unpacked value of a key, or nothing if it is not a string of this size. If `longer` is given, the string may be
-- longer and is then unpacked with that format.
local function stored(key, format, size, longer)
  local state = redis.pcall('GET', key)
  if state and (#state == size or longer and #state > size) then
    return struct.unpack(#state == size and format or longer, state)
  elseif state and state.err and not state.err:find('WRONGTYPE', 1, true) then
    error(state)
  end
end

-- How many permits a call gets when `available` are left: `cost`, or else the largest multiple of `least` that is left.
local function grant(cost, least, manner, available)
  if cost <= available or manner == CHARGE then
    return cost
  end
  return available < least and 0 or available - available % least
end

functions.forget = RARE and function(key)
  return 1, function()
    check_memory(key)
    redis.call('DEL', key)
  end, nil, 0, 0, 0, 0
end
