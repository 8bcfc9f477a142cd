-- Begins the script: what the functions of all algorithms share.
--
-- Every state that is a string has a size of its own, so that what another algorithm has left counts as none.
local functions, decide_together = {}, nil
local CHARGE, PEEK = 2, 3
-- Whether anything is done that is rare, such as giving back: else the functions for it are not made, as making one takes
-- longer than calling it.
local RARE = false

-- What a key holds, unpacked, or nothing when it is no string of this size; where it may be longer, in another format then.
local function stored(key, format, size, longer)
  local state = redis.pcall('GET', key)
  if state and (#state == size or longer and #state > size) then
    return struct.unpack(#state == size and format or longer, state)
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
