-- Refunds permits to a token bucket. token_bucket_points.lua explains when a refund is exact.
--
-- token_bucket_refund refunds permits acquired since the bucket counts without a break
--   Arguments  interval, number of permits, permits and period at that time, when they were acquired, when the bucket was
--              to be full again
--
-- A call that the key does not track is refunded at most what would be in use if no other call had been made since. If a call
-- made no later was refunded before, it is at most what would be in use if no other call had been made at all. With interval 1
-- an untracked call is not refunded after the next refill.
-- With interval 1 the first call starts the periods. If it is refunded, the periods start at the next call, or now if the
-- refunded call is untracked. If a refill has come since, or the time of the next call is unknown, nothing is refunded.
local REFUND = '<BI4I4ddd'

-- Removes a call from the points. Returns the level that must stay in use, its rest, and the time of the next call if known.
local function take_out(bucket, points, count, taken_at, now)
  local sum, level, rest, following = 0, 0, 0, nil
  for n = #points, 1, -1 do
    local point = points[n]
    local earlier = point.from <= taken_at
    point.count = point.count - (earlier and math.min(count, point.count) or 0)
    sum = sum + point.count
    if point.till > taken_at then
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

functions.token_bucket_refund = function(key, arguments, now)
  local interval, count, permits, period, taken_at, full_at = struct.unpack(REFUND, arguments)
  local was_interval, was_permits, was_period, at, level, rest, since, refunded = current(key, now)
  local begin, points = points_of(key, since, now)
  local exactly = begin and taken_at >= begin
  if count == 0 or level + rest == 0 or taken_at < since or taken_at > now or was_interval ~= interval
    or was_permits ~= permits or was_period ~= period or not exactly and interval == 1 and at > taken_at then
    return 1, nil, nil, 0, 0, 0, 0
  end

  local bucket = { interval = interval, permits = permits, period = period, at = at }
  local less, less_rest = count, 0
  if interval == 0 then
    less, less_rest = time_of(count, permits, period)
  end
  local least, least_rest, anew = 0, 0, nil
  if exactly then
    least, least_rest, anew = take_out(bucket, points, count, taken_at, now)
  elseif interval == 0 then
    local in_use = math.max(0, (taken_at < (refunded or NOT_REFUNDED) and full_at or taken_at + less) - now)
    if in_use <= level then
      least, least_rest = level - in_use, rest
    end
  end
  less, less_rest = level - less, rest - less_rest
  if less_rest < 0 then
    less, less_rest = less - 1, less_rest + permits
  end
  if less < least or less == least and less_rest < least_rest then
    less, less_rest = least, least_rest
    -- the level may have been too high, so calls before `begin` may have got wrong replies: do not refund these any more
    since = exactly and math.max(since, begin) or since
  end
  if interval == 1 and exactly and less == least then
    if at > taken_at or less > 0 and not anew then
      less = level
    else
      at = anew or at
    end
  elseif interval == 1 and not exactly and at == taken_at then
    at, begin, points = now, begin and now + 1, {}
  end
  if less < level or less == level and less_rest < rest then
    level, rest = less, less_rest
  end
  if level + rest == 0 then
    return functions.forget(key)
  end
  local value, ttl = packed(now, interval, permits, period, at, level, rest, since,
    math.min(refunded or NOT_REFUNDED, taken_at))
  if begin then
    value = value .. packed_points(begin, (those_that_matter(bucket, points, now)))
  end
  return 1, value, ttl, 0, 0, 0, 0
end
