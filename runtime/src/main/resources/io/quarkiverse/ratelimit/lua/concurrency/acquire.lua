-- Limits calls that run at the same time: acquires permits, or renews those that the call holds. Together all calls hold at
-- most `permits`.
--
-- KEYS     see state.lua
-- ARGV     ARGUMENTS: the lease time is in us, the id is that of the call
-- Returns  granted, permits held, permits that the call itself holds (at most `cost`), 0, 0
--
-- If permits were last acquired or renewed in the future, the clock has jumped back. The next call that acquires permits or is
-- denied then ends all leases earlier by the same amount, so each lease keeps the time that it had left.
local ARGUMENTS = '<BI4I4I4dc8' -- kind cost least permits lease_time id

functions['concurrency/acquire'] = function(key, arguments, now, new_cost)
  local kind, cost, least, permits, lease_time, id = struct.unpack(ARGUMENTS, arguments)
  cost = new_cost or cost
  local live, foreign = count(key, now)
  local held_by_call = live > 0 and count_held(key, now, id, cost) or 0
  local granted = grant(cost, least, kind, permits - live + held_by_call)
  local jumped = live > 0 and kind ~= PEEK and -(redis.call('ZSCORE', key, LAST) or 0) - now or 0

  local function write()
    local last = string.format('%d', -now)
    if no_memory then
      error(no_memory)
    elseif foreign then
      -- SET fails when memory is full, DEL does not
      redis.call('SET', key, '')
      redis.call('DEL', key)
    elseif jumped > 0 then
      local held = redis.call('ZRANGE', key, '(0', '+inf', 'BYSCORE', 'WITHSCORES')
      for n = 1, #held, 2 do
        redis.call('ZADD', key, string.format('%d', held[n + 1] - jumped), held[n])
      end
      redis.call('ZADD', key, last, LAST)
    end
    with_members('ZADD', key, id, 0, granted - 1, string.format('%d', now + lease_time), { last, LAST })
    remove_expired(key, now, now)
  end
  return granted, kind ~= PEEK and (granted > 0 or jumped > 0) and write or nil, nil, live, held_by_call, 0, 0
end
