-- Refunds permits to a token bucket, if they were acquired since it counts without a break. points.lua explains when a refund
-- is exact.
--
-- KEYS     see state.lua and points.lua
-- ARGV     REFUND: the number of permits; interval, permits and period at that time; when they were acquired; when the bucket
--          was to be full again
-- Returns  granted: 1
--
-- A call that the key does not track is refunded at most what would be in use if no other call had been made since. If a call
-- made no later was refunded before, it is at most what would be in use if no other call had been made at all. With interval 1
-- an untracked call is not refunded after the next refill.
-- With interval 1 the first call starts the periods. If it is refunded, the periods start at the next call, or now if the
-- refunded call is untracked. If a refill has come since, or the time of the next call is unknown, nothing is refunded.
local REFUND = '<BI4I4ddd' -- interval count permits period acquired_at full_at

functions['token_bucket/refund'] = function(key, arguments, now)
  local interval, count, permits, period, acquired_at, full_at = struct.unpack(REFUND, arguments)
  local was_interval, was_permits, was_period, at, level, rest, since, refunded = current(key, now)
  local begin, points = points_of(key, since, now)
  local exactly = begin and acquired_at >= begin
  if count == 0 or level + rest == 0 or acquired_at < since or acquired_at > now or was_interval ~= interval
    or was_permits ~= permits or was_period ~= period or not exactly and interval == 1 and at > acquired_at then
    return 1, nil, nil, 0, 0, 0, 0
  end

  local bucket = { interval = interval, permits = permits, period = period, at = at }
  local less, less_rest = level_of(interval, count, permits, period)
  local least, least_rest, restart = 0, 0, nil
  if exactly then
    least, least_rest, restart = without_call(bucket, points, count, acquired_at, now)
  elseif interval == 0 then
    local in_use = math.max(0, (acquired_at < (refunded or NOT_REFUNDED) and full_at or acquired_at + less) - now)
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
    if at > acquired_at or less > 0 and not restart then
      less = level
    else
      at = restart or at
    end
  elseif interval == 1 and not exactly and at == acquired_at then
    at, begin, points = now, begin and now + 1, {}
  end
  if less < level or less == level and less_rest < rest then
    level, rest = less, less_rest
  end
  if level + rest == 0 then
    return functions.reset(key)
  end
  local value, ttl = packed(now, interval, permits, period, at, level, rest, since,
    math.min(refunded or NOT_REFUNDED, acquired_at))
  if begin then
    value = value .. packed_points(begin, (relevant(bucket, points, now)))
  end
  return rewritten(key, value, ttl)
end
