-- Adds a call to a sliding log.
--
-- log      the log as acquire.lua has read it: its key, and whether the key holds `foreign` data; its size; `time` and `total`
--          of the newest entry; `expired`, the index of the newest entry that no longer counts, and `base`, that entry, nil if
--          the log is empty
-- kept     the index of the oldest entry to keep
--
-- The command that needs memory comes first: it replaces an entry or adds one at the front.
local function append(log, now, acquired, kept)
  local key = log.key
  if log.foreign then
    -- SET fails when memory is full, DEL does not
    redis.call('SET', key, '')
    redis.call('DEL', key)
  end
  if not log.base then
    redis.call('RPUSH', key, struct.pack(ENTRY, now, acquired), struct.pack(ENTRY, 0, 0))
    return
  end
  -- entries of now or later, after the clock has jumped back, become one with this call
  local replaced, size, expired = 0, log.size, log.expired
  if log.time >= now then
    replaced = last_that(function(index) return entry(key, size, index) >= now end, 0, expired) + 1
  end
  local call, at = struct.pack(ENTRY, now, (log.total + acquired) % TOTALS), replaced - 1
  if at >= 0 then
    redis.call('LSET', key, at, call)
  else
    redis.call('LPUSH', key, call)
    at, kept, expired, size = 0, kept + 1, expired + 1, size + 1
  end
  if at > 0 or kept < size - 1 then
    redis.call('LTRIM', key, at, math.max(at, kept))
  end
  if kept < expired then
    redis.call('RPUSH', key, log.base)
  end
end
