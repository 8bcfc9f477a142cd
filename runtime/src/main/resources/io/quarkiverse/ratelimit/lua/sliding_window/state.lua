-- Reads and packs what a key of a sliding window holds.
--
-- KEYS     a string, STATE: the period, since when it counts, the last charged call, and the counts of the previous and the
--          current window as of that call
--
-- Windows begin at multiples of the period. If the period changes, both counts move to the window of the last call.
local STATE = '<I6I7I7I7I7' -- period since last previous count
local SIZE = struct.size(STATE)

local function packed(now, period, since, last, previous, count)
  local ends = last - last % period + (count > 0 and 2 or 1) * period
  return struct.pack(STATE, period, since, last, previous, count),
    string.format('%d', math.ceil((ends - now) / 1000) + 1)
end

-- The state of the key as of now: since when it counts, the last call, the two counts, and whether the key is outdated.
local function current(key, now, period)
  local stored_period, since, last, previous, count = stored(key, STATE, SIZE)
  if not stored_period then
    return now, now, 0, 0, false
  end
  local outdated = stored_period ~= period
  if outdated then
    local windows = math.floor(now / stored_period) - math.floor(last / stored_period)
    count = windows > 1 and 0 or math.min(count + (windows < 1 and previous or 0), MAX_PERMITS_KEPT)
    previous, since = 0, math.max(now, last + 1)
  end
  local windows = math.floor(now / period) - math.floor(last / period)
  if windows < 0 then
    previous, count = 0, math.min(previous + count, MAX_PERMITS_KEPT)
    since, last, outdated = last + 1, now, true
  elseif windows > 0 then
    previous, count = windows == 1 and count or 0, 0
  end
  if previous + count == 0 then
    return now, now, 0, 0, false
  end
  return since, last, previous, count, outdated
end
