-- Refunds permits to the entry of the call that acquired them, unless more than MAX_NEWER entries are newer: it rewrites all of
-- these.
--
-- KEYS     see state.lua
-- ARGV     REFUND: the number of permits, when they were acquired
-- Returns  granted: 1
local REFUND = '<I4d' -- refunded acquired_at
local MAX_NEWER = 10000

functions['sliding_log/refund'] = function(key, arguments)
  local refunded, acquired_at = struct.unpack(REFUND, arguments)
  local size = oldest(key) and redis.call('LLEN', key) or 1
  local at = last_that(function(index) return entry(key, size, index) > acquired_at end, -1, size - 1) + 1
  local time, total
  if at < size - 1 and at <= MAX_NEWER then
    time, total = entry(key, size, at)
  end
  if time ~= acquired_at then
    return 1, nil, nil, 0, 0, 0, 0
  end
  local _, before = entry(key, size, at + 1)
  local count = (total - before) % TOTALS
  refunded = math.min(refunded, count)

  return 1, function()
    check_memory(key)
    local newest, newer = entry(key, size, 0), at
    if refunded == count then
      redis.call('LREM', key, 1, struct.pack(ENTRY, time, total))
      size, newer = size - 1, at - 1
    end
    if size == 1 then
      redis.call('DEL', key)
      return
    end
    for index = 0, newer do
      local when, sum = entry(key, size, index)
      redis.call('LSET', key, index, struct.pack(ENTRY, when, (sum - refunded) % TOTALS))
    end
    if newer < 0 then
      local gone = math.floor((newest - entry(key, size, 0)) / 1000)
      local ttl = string.format('%d', math.max(1, redis.call('PTTL', key) - gone))
      redis.call('PEXPIRE', key, ttl)
    end
  end, nil, 0, 0, 0, 0
end
