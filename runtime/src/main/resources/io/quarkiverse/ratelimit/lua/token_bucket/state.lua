-- Reads and packs what a key of a token bucket holds.
--
-- KEYS     a string, STATE: interval, permits and period as of the last write; `at`, the time of the level; the level and its
--          rest; `since`, the time since when it counts: the bucket was full then, or the limit changed and the permits in use
--          were carried over. If calls were refunded, REFUNDED follows: the time of the earliest of them; with interval 1
--          the time at which a refund started the periods again. If the key tracks calls, what points.lua describes follows
--
-- The level is the amount in use. With interval 0 it is GCRA's tat - now (ITU-T I.371): us, and a rest in 1/permits us, so that
-- no rate is rounded. With interval 1 it is a number of permits as of `at`, the last refill.
local STATE = '<BI4dddI4I7' -- interval permits period at level rest since
local REFUNDED = '<I7' -- refunded
local SIZE, NOT_REFUNDED, MAX_FILL_TIME = struct.size(STATE), 2 ^ 53, 36525 * 86400000000
-- Defined by level.lua, in scripts that need it.
local level_of, permits_that_fit

-- Whether this many bytes may follow STATE: REFUNDED alone, which has 7, or with what points.lua reads: a time, which makes 14,
-- and points of 19 bytes.
local function may_follow(size)
  return size == 7 or size % 19 == 14
end

-- The state of the key as of now: permits, period, at, level and rest, since when it counts, the time of the earliest
-- refunded call, and whether `at` was in the future. In that case it is unknown how much earlier calls still hold.
local function current(key, now)
  local interval, permits, period, at, level, rest, since, refunded =
    stored(key, STATE, SIZE, STATE .. REFUNDED, may_follow)
  if not interval then
    return 0, 0, now, 0, 0, now, nil, false
  end
  if refunded <= SIZE + 1 then
    refunded = nil -- this is the position after the end of the string
  end
  local ahead = at > now
  if ahead then
    since, at = math.max(since, at + 1), now
  end
  if interval == 1 then
    local periods = math.floor((now - at) / period)
    at, level = at + periods * period, level - periods * permits
  else
    at, level = now, level - (now - at)
  end
  if level < 0 or level + rest == 0 then
    return permits, period, now, 0, 0, now, nil, false
  end
  return permits, period, at, level, rest, since, refunded, ahead
end

local function packed(now, interval, permits, period, at, level, rest, since, refunded)
  local full = interval == 1 and at + math.ceil(level / permits) * period or at + level + 1
  local state = struct.pack(STATE, interval, permits, period, at, level, rest, since)
  return refunded and state .. struct.pack(REFUNDED, refunded) or state,
    string.format('%d', math.ceil((full - now) / 1000) + 1)
end
