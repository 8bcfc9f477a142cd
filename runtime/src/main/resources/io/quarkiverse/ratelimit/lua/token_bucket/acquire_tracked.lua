-- Acquires permits like acquire.lua, and tracks the call.
--
-- KEYS     see points.lua
-- ARGV     ARGUMENTS of acquire.lua
-- Returns  the same as acquire.lua
local MAX_POINTS, MAX_COUNT = 16, 2 ^ 37

local function add_point(points, now, count)
  local last = points[#points]
  if last and last.till == now then
    last.count = last.count + count
    return
  end
  points[#points + 1] = { from = now, till = now, count = count }
  if #points > MAX_POINTS then
    local closest = 1
    for n = 2, #points - 1 do
      if points[n + 1].till - points[n].from < points[closest + 1].till - points[closest].from then
        closest = n
      end
    end
    local first, second = points[closest], table.remove(points, closest + 1)
    first.till, first.count = second.till, first.count + second.count
  end
end

functions['token_bucket/acquire_tracked'] = function(key, arguments, now, new_cost)
  local granted, value, ttl, level, rest, next_refill = functions['token_bucket/acquire'](key, arguments, now, new_cost)
  if granted > 0 and value then
    local interval, permits, period, at, sum, _, since = struct.unpack(STATE, value)
    local bucket = { interval = interval, permits = permits, period = period, at = at }
    local begin, points = points_of(key, since, now)
    local kept, count = relevant(bucket, points, now)
    begin = begin or now
    if count + granted <= MAX_COUNT and (interval == 1 or sum < MAX_FILL_TIME) then
      add_point(kept, now, granted)
    else
      begin, kept = now + 1, {}
    end
    value = (#value > SIZE and value or value .. struct.pack(REFUNDED, NOT_REFUNDED)) .. packed_points(begin, kept)
  end
  return granted, value, ttl, level, rest, next_refill, 0
end
