-- Refunds permits to a token bucket, if they were acquired since it counts without a break. points.lua explains when a refund
-- is exact, and lower.lua does the arithmetic.
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
-- refunded call is untracked: then they start again with each refund of a call from before. If a refill has come since, or the
-- time of the next call is unknown, nothing is refunded.
local REFUND = '<BI4I4ddd' -- interval count permits period acquired_at full_at

functions['token_bucket/refund'] = function(key, arguments, now)
  local interval, count, permits, period, acquired_at, full_at = struct.unpack(REFUND, arguments)
  local stored_permits, stored_period, at, level, rest, since, refunded = current(key, now)
  refunded = refunded or NOT_REFUNDED
  local begin, points = points_of(key, since, now)
  local tracked = begin and acquired_at >= begin
  if count == 0 or level + rest == 0 or acquired_at < since or acquired_at > now
    or stored_permits ~= permits or stored_period ~= period
    or not tracked and interval == 1 and at > acquired_at and at ~= refunded then
    return 1, nil, nil, 0, 0, 0, 0
  end

  local bucket = { interval = interval, permits = permits, period = period, at = at, level = level, rest = rest,
    since = since }
  local call = { count = count, acquired_at = acquired_at }
  call.level, call.rest = level_of(interval, count, permits, period)
  local lowered, lowered_rest, lowered_at
  if tracked then
    lowered, lowered_rest, lowered_at, since = lower_tracked(bucket, points, begin, call, now)
  else
    lowered, lowered_rest, lowered_at, since = lower_untracked(bucket, refunded, call, full_at, now)
    if interval == 1 and at >= acquired_at then
      since = at == refunded and since or at -- calls from before the last refill are not refunded
      lowered_at, refunded = now, now
      begin, points = begin and now + 1, {}
    end
  end
  if exceeds(level, rest, lowered, lowered_rest) then
    level, rest = lowered, lowered_rest
  end
  if level + rest == 0 then
    return functions.reset(key)
  end
  local value, ttl = packed(now, interval, permits, period, lowered_at, level, rest, since,
    interval == 1 and refunded or math.min(refunded, acquired_at))
  if begin then
    value = value .. packed_points(begin, (relevant(bucket, points, now)))
  end
  return rewritten(key, value, ttl)
end
