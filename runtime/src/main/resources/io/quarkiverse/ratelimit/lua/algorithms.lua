-- Begins the script: what the functions of all algorithms share.
--
-- Every state that is a string has a size of its own, so that what another algorithm has left counts as none.
local functions, decide_together = {}, nil
local CHARGE, PEEK = 2, 3
-- Whether anything is done that is rare, such as giving back: else the functions for it are not made, as making one takes
-- longer than calling it.
local RARE = false

-- Redis checks `maxmemory` only until a script has written once. So whatever takes or repairs begins with a command that Redis
-- denies when memory is full (SET, LPUSH, RPUSH, LSET, ZADD). Giving back needs no memory and is written even then, but it
-- calls check_memory first. When memory is full, `no_memory` is the error of all calls behind it that take permits; it is nil
-- until this was checked.
local no_memory

-- Writes nothing: the key exists already, or is deleted next. Behind the only key of a script there are no other calls.
local check_memory = RARE and function(key)
  if #KEYS > 1 and no_memory == nil then
    local reply = redis.pcall('SET', key, '', 'NX', 'PX', '1')
    no_memory = reply and reply.err and reply.err:find('OOM', 1, true) and reply or false
  end
end

-- What a key holds, unpacked, or nothing when it is no string of this size.
local function stored(key, format, size)
  local state = redis.pcall('GET', key)
  if state and #state == size then
    return struct.unpack(format, state)
  elseif state and state.err and not state.err:find('WRONGTYPE', 1, true) then
    error(state)
  end
end

-- How many permits are granted to a call in this manner where so many are available: all, or whole multiples of the least.
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
