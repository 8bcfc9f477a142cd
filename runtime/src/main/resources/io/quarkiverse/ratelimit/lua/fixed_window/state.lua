-- Reads and packs what a key of a fixed window holds.
--
-- KEYS     a string, STATE: when its window ends, since when it counts, and the permits used, which count until that end
--
-- If the limit has changed, the window of a call can end at another time. The call then moves the used permits to its own
-- window, where they count until that window ends. A denied call moves them, too, so that the wait it reports is correct.
-- If the clock has jumped back to before the window, the window is `ahead`: it counts as the current one until its end, at most
-- for its length from the first call after the jump. Its `since` is stored as a negative number.
local STATE = '<ddd' -- ends since used
local SIZE = struct.size(STATE)

-- The state of the key as of now: permits used, since when it counts, until when, and whether it is ahead.
local function current(key, now)
  local ends, since, used = stored(key, STATE, SIZE)
  if not ends or now >= ends then
    return 0, now, now, false
  end
  return used, math.min(math.abs(since), now), ends, since < 0 or since > now
end

local function packed(now, used, since, ends, ahead)
  return struct.pack(STATE, ends, ahead and -since or since, used), string.format('%d', math.ceil((ends - now) / 1000) + 1)
end
