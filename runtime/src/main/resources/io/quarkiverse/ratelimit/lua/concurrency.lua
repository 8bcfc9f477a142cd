-- Counts calls that run at the same time: at most `permits` are held.
--
-- concurrency takes permits, or renews those that the call holds
--   Arguments  manner, cost, the least of it, permits, lease time in us, id of the call
--   Numbers    how many permits are held, how many of those asked for the call itself holds, 0, 0
-- concurrency_give_back gives back what a call holds
--   Arguments  how many permits, id of the call
--
-- The key is a sorted set: a member per permit held, scored by when it comes back by itself. A member is the id of the
-- call and an index, counted from 0 without gaps, so that a call is never counted twice.
-- A permit that comes back later than after the longest lease was taken before the clock jumped back. It is held; the
-- next write, or a call that is refused, lets it come back after the longest lease, as nobody knows what its own was.
local ARGUMENTS, GIVE_BACK = '<BI4I4I4dc8', '<I4c8'
local MAX_LEASE, MEMBERS_AT_ONCE = 86400000000, 2000

local function member(id, index)
  return id .. struct.pack('<I4', index)
end

-- How many permits are held, and whether the key is of another type.
local function count(key, now)
  local live = redis.pcall('ZCOUNT', key, string.format('(%d', now), '+inf')
  if type(live) == 'number' then
    return live, false
  elseif not live.err:find('WRONGTYPE', 1, true) then
    error(live)
  end
  return 0, true
end

-- How many permits the call holds, up to so many.
local function count_own(key, now, id, most)
  for index = 0, most - 1 do
    local comes_back = redis.call('ZSCORE', key, member(id, index))
    if not comes_back or tonumber(comes_back) <= now then
      return index
    end
  end
  return most
end

local function latest(key)
  return tonumber(redis.call('ZRANGE', key, '-1', '-1', 'WITHSCORES')[2])
end

-- Forgets what has come back, repairs what was taken before the clock jumped back, and lets the key live no longer.
local function settle(key, now)
  redis.call('ZREMRANGEBYSCORE', key, '-inf', string.format('%d', now))
  local last = latest(key)
  if not last then
    return
  end
  if last > now + MAX_LEASE then
    last = now + MAX_LEASE
    local most = string.format('%d', last)
    for _, ahead in ipairs(redis.call('ZRANGE', key, '(' .. most, '+inf', 'BYSCORE')) do
      redis.call('ZADD', key, most, ahead)
    end
  end
  local ttl = string.format('%d', math.ceil((last - now) / 1000) + 1)
  redis.call('PEXPIRE', key, ttl)
end

-- Calls a command with the members of a call, each after `before`, if given; not with all of them at once, as there is
-- a limit to what Lua can unpack.
local function with_members(command, key, id, first, last, before)
  for from = first, last, MEMBERS_AT_ONCE do
    local members = {}
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

  local write
  if granted > 0 and manner ~= PEEK then
    write = function()
      if no_memory then
        error(no_memory)
      elseif foreign then
        -- Redis denies SET when memory is full, but not DEL
        redis.call('SET', key, '')
        redis.call('DEL', key)
      end
      with_members('ZADD', key, id, 0, granted - 1, string.format('%d', now + lease))
      settle(key, now)
    end
  elseif live > 0 and manner ~= PEEK and latest(key) > now + MAX_LEASE then
    write = function() settle(key, now) end
  end
  return granted, write, nil, live, own, 0, 0
end

functions.concurrency_give_back = RARE and function(key, arguments, now)
  local cost, id = struct.unpack(GIVE_BACK, arguments)
  local live = count(key, now)
  local own = live > 0 and count_own(key, now, id, live) or 0
  return 1, own > 0 and function()
    check_memory(key)
    with_members('ZREM', key, id, math.max(0, own - cost), own - 1)
    settle(key, now)
  end or nil, nil, 0, 0, 0, 0
end
