-- Reads and packs what a key of a fixed window holds.
--
-- KEYS     a string, STATE: when its window ends, since when it counts, and the permits used, which count until that end
--
-- If the limit has changed or the clock has jumped back, the window of a call can end at another time. The call then moves the
-- used permits to its own window, where they count until that window ends. A denied call moves them, too, so that the wait
-- it reports is correct.
local STATE = '<ddd' -- ends since used
local SIZE = struct.size(STATE)

-- The state of the key as of now: permits used, since when it counts, and until when.
local function current(key, now)
  local ends, since, used = stored(key, STATE, SIZE)
  if not ends or now >= ends then
    return 0, now, now
  end
  return used, math.min(since, now), ends
end

local function packed(now, used, since, ends)
  return struct.pack(STATE, ends, since, used), string.format('%d', math.ceil((ends - now) / 1000) + 1)
end
