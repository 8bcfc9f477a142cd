-- Counts denials by key for the last minute, in bounded space: one sorted set for each 10 s, used again after a minute.
--
-- KEYS     sorted sets: per key its denials, and under ' ' the number of its 10 s since the epoch. Keys of another type are
--          removed
-- ARGV     [1] 'add' or 'read'; then
--          add: how many keys a set keeps at most, then per key: the key, its denials; read: how many keys to return
-- Returns  read: per key, the most denied first: the key, its denials
local SPAN, NUMBER = 10000000, ' '
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local current = math.floor(now / SPAN)

local function number(set)
  local score = redis.pcall('ZSCORE', set, NUMBER) or '-1'
  if score.err and score.err:find('WRONGTYPE', 1, true) then
    redis.call('DEL', set)
    return -1
  end
  return score.err and error(score) or tonumber(score)
end

if ARGV[1] == 'add' then
  local set = KEYS[current % #KEYS + 1]
  if number(set) ~= current then
    -- the first write, so Redis checks its memory; every count is lower
    redis.call('ZADD', set, current, NUMBER)
    redis.call('ZREMRANGEBYSCORE', set, '-inf', '(' .. string.format('%d', current))
  end
  for n = 3, #ARGV, 2 do
    redis.call('ZADD', set, 'INCR', ARGV[n + 1], ARGV[n])
  end
  -- the number is larger than any count, so it stays
  local least = redis.call('ZRANGE', set, 0, -ARGV[2] - 2)
  if #least > 0 then
    redis.call('ZREM', set, unpack(least))
  end
  redis.call('PEXPIRE', set, string.format('%d', math.ceil(((current + #KEYS) * SPAN - now) / 1000)))
  return false
end

local denials, keys = {}, {}
for _, set in ipairs(KEYS) do
  local age = current - number(set)
  local counted = age >= 0 and age < #KEYS and redis.call('ZRANGE', set, 0, -1, 'WITHSCORES') or {}
  for n = 1, #counted, 2 do
    local key = counted[n]
    if key ~= NUMBER then
      if not denials[key] then
        keys[#keys + 1] = key
      end
      denials[key] = (denials[key] or 0) + counted[n + 1]
    end
  end
end
table.sort(keys, function(a, b)
  return denials[a] > denials[b] or denials[a] == denials[b] and a < b
end)
local reply = {}
for n = 1, math.min(#keys, tonumber(ARGV[2])) do
  reply[2 * n - 1], reply[2 * n] = keys[n], denials[keys[n]]
end
return reply
