-- Lowers the level of a token bucket by a refunded call, for refund.lua. Each function returns the lowered level, its rest, the
-- time of the level, and since when the bucket counts. `call` has the refunded permits as `level` and `rest`.

-- What must stay in use because of later calls, its rest, and the time of the next call if known. Removes the call from the
-- points.
local function needed_by_later_calls(bucket, points, call, now)
  local sum, level, rest, next_call = 0, 0, 0, nil
  for n = #points, 1, -1 do
    local point = points[n]
    local earlier = point.from <= call.acquired_at
    point.count = point.count - (earlier and math.min(call.count, point.count) or 0)
    sum = sum + point.count
    if point.till > call.acquired_at then
      next_call = point.from == point.till and point.from or nil
      local used, used_rest = in_use(bucket, sum, point.till, now)
      if exceeds(used, used_rest, level, rest) then
        level, rest = used, used_rest
      end
    end
    if earlier then
      break
    end
  end
  return level, rest, next_call
end

-- The level without the call, which may be negative.
local function without_call(bucket, call)
  local level, rest = bucket.level - call.level, bucket.rest - call.rest
  if rest < 0 then
    return level - 1, rest + bucket.permits
  end
  return level, rest
end

local function lower_tracked(bucket, points, begin, call, now)
  local needed, needed_rest, next_call = needed_by_later_calls(bucket, points, call, now)
  local level, rest = without_call(bucket, call)
  local since = bucket.since
  if exceeds(needed, needed_rest, level, rest) then
    level, rest = needed, needed_rest
    -- the level may have been too high, so calls before `begin` may have got wrong replies: do not refund these any more
    since = math.max(since, begin)
  end
  if bucket.interval == 0 or level > needed then
    return level, rest, bucket.at, since
  elseif bucket.at > call.acquired_at or level > 0 and not next_call then
    return bucket.level, bucket.rest, bucket.at, since
  end
  return level, rest, next_call or bucket.at, since
end

local function lower_untracked(bucket, refunded, call, full_at, now)
  local level, rest = without_call(bucket, call)
  local needed, needed_rest = 0, 0
  if bucket.interval == 0 then
    local full = call.acquired_at < refunded and full_at or call.acquired_at + call.level
    local used = math.max(0, full - now)
    if used <= bucket.level then
      needed, needed_rest = bucket.level - used, bucket.rest
    end
  end
  if exceeds(needed, needed_rest, level, rest) then
    level, rest = needed, needed_rest
  end
  return level, rest, bucket.at, bucket.since
end
