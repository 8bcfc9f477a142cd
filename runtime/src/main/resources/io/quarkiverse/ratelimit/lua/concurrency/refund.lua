-- Releases permits that a call holds.
--
-- KEYS     see state.lua
-- ARGV     REFUND: the number of permits, the id of the call
-- Returns  granted: 1
local REFUND = '<I4c8' -- refunded id

functions['concurrency/refund'] = function(key, arguments, now)
  local refunded, id = struct.unpack(REFUND, arguments)
  local live = count(key, now)
  local held_by_call = live > 0 and count_held(key, now, id, live) or 0
  return 1, held_by_call > 0 and function()
    check_memory(key)
    with_members('ZREM', key, id, math.max(0, held_by_call - refunded), held_by_call - 1)
    remove_expired(key, now, math.max(now, -(redis.call('ZSCORE', key, LAST) or 0)))
  end or nil, nil, 0, 0, 0, 0
end
