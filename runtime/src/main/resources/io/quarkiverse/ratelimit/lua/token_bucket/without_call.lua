-- Removes a call from the points of a token bucket, for refund.lua.
--
-- Returns  the level that must stay in use, its rest, and the time of the next call if known
local function without_call(bucket, points, count, acquired_at, now)
  local sum, level, rest, following = 0, 0, 0, nil
  for n = #points, 1, -1 do
    local point = points[n]
    local earlier = point.from <= acquired_at
    point.count = point.count - (earlier and math.min(count, point.count) or 0)
    sum = sum + point.count
    if point.till > acquired_at then
      following = point.from == point.till and point.from or nil
      local more, more_rest = left(bucket, sum, point.till, now)
      if more > level or more == level and more_rest > rest then
        level, rest = more, more_rest
      end
    end
    if earlier then
      break
    end
  end
  return level, rest, following
end
