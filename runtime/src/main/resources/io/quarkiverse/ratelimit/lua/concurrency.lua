-- Limits calls that run at the same time: together they hold at most `permits`.
--
-- concurrency acquires permits, or renews those that the call holds
--   Arguments  manner, cost, least, permits, lease time in us, id of the call
--   Numbers    permits held, permits that the call itself holds (at most `cost`), 0, 0
-- concurrency_refund releases permits that a call holds
--   Arguments  number of permits, id of the call
--
-- The key is a sorted set with one member per held permit. The score is the time when its lease ends. The member is the id of
-- the call and an index, counted from 0 without gaps. So no call counts twice.
-- One more member, LAST, has a negative score: minus the time when permits were last acquired or renewed. If that time is in
-- the future, the clock has jumped back. The next call that acquires permits or is denied then ends all leases earlier by the
-- same amount, so each lease keeps the time that it had left.
local ARGUMENTS, REFUND = '<BI4I4I4dc8', '<I4c8'
local LAST, MEMBERS_AT_ONCE = '', 2000

local function member(id, index)
  return id .. struct.pack('<I4', index)
end

-- How many permits are held, and whether the key has another type.
local function count(key, now)
  local live = redis.pcall('ZCOUNT', key, string.format('(%d', now), '+inf')
  if type(live) == 'number' then
    return live, false
  elseif not live.err:find('WRONGTYPE', 1, true) then
    error(live)
  end
  return 0, true
end

-- How many permits the call holds, at most `most`.
local function count_own(key, now, id, most)
  for index = 0, most - 1 do
    local comes_back = redis.call('ZSCORE', key, member(id, index))
    if not comes_back or tonumber(comes_back) <= now then
      return index
    end
  end
  return most
end

-- Removes expired leases, and lets the key expire with the last of the others.
local function settle(key, now)
  redis.call('ZREMRANGEBYSCORE', key, '0', string.format('%d', now))
  local latest = tonumber(redis.call('ZRANGE', key, '-1', '-1', 'WITHSCORES')[2] or 0)
  if latest > now then
    local ttl = string.format('%d', math.ceil((latest - now) / 1000) + 1)
    redis.call('PEXPIRE', key, ttl)
  else
    redis.call('DEL', key)
  end
end

-- Runs a command with `members`, if given, and the members of a call from index `first` to `last`, each preceded by `before`,
-- if given. It runs the command several times for many members, because Lua cannot unpack all of them at once.
local function with_members(command, key, id, first, last, before, members)
  for from = first, last, MEMBERS_AT_ONCE do
    members = from == first and members or {}
    for index = from, math.min(last, from + MEMBERS_AT_ONCE - 1) do
      members[#members + 1] = before
      members[#members + 1] = member(id, index)
    end
    redis.call(command, key, unpack(members))
  end
end

functions.concurrency = function(key, arguments, now, less)
  local manner, cost, least, permits, lease, id = struct.unpack(ARGUMENTS, arguments)
  cost = less or cost
  local live, foreign = count(key, now)
  local own = live > 0 and count_own(key, now, id, cost) or 0
  local granted = grant(cost, least, manner, permits - live + own)
  local jumped = live > 0 and manner ~= PEEK and -(redis.call('ZSCORE', key, LAST) or 0) - now or 0

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
    with_members('ZADD', key, id, 0, granted - 1, string.format('%d', now + lease), { last, LAST })
    settle(key, now)
  end
  return granted, manner ~= PEEK and (granted > 0 or jumped > 0) and write or nil, nil, live, own, 0, 0
end

functions.concurrency_refund = RARE and function(key, arguments, now)
  local cost, id = struct.unpack(REFUND, arguments)
  local live = count(key, now)
  local own = live > 0 and count_own(key, now, id, live) or 0
  return 1, own > 0 and function()
    check_memory(key)
    with_members('ZREM', key, id, math.max(0, own - cost), own - 1)
    settle(key, now)
  end or nil, nil, 0, 0, 0, 0
end
