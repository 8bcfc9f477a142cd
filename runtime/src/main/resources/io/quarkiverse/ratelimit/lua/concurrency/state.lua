-- Reads and writes what a key of a concurrency limit holds.
--
-- KEYS     a sorted set with one MEMBER per held permit: the id of the call, and an index counted from 0 without gaps, so that
--          no call counts twice. The score is the time when its lease ends. One more member, LAST, has a negative score: minus
--          the time when permits were last acquired or renewed
local MEMBER = '<c8I4' -- id index
local LAST, MEMBERS_AT_ONCE = '', 2000

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
local function count_held(key, now, id, most)
  for index = 0, most - 1 do
    local ends = redis.call('ZSCORE', key, struct.pack(MEMBER, id, index))
    if not ends or tonumber(ends) <= now then
      return index
    end
  end
  return most
end

-- Removes expired leases, and lets the key expire with the last of the others. Leases are as of the time `last`, which is later
-- than `now` if the clock has jumped back.
local function remove_expired(key, now, last)
  redis.call('ZREMRANGEBYSCORE', key, '0', string.format('%d', now))
  local latest = tonumber(redis.call('ZRANGE', key, '-1', '-1', 'WITHSCORES')[2] or 0)
  if latest > now then
    local ttl = string.format('%d', math.ceil((latest - last) / 1000) + 1)
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
      members[#members + 1] = struct.pack(MEMBER, id, index)
    end
    redis.call(command, key, unpack(members))
  end
end
