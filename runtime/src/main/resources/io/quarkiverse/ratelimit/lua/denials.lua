-- Counts denials by key for the last minute, in bounded space: one sorted set for each 10 s, used again after a minute.
--
-- KEYS     sorted sets: per key its denials, under '  ' those of all keys, also of keys that are not kept, and under ' ' the
--          number of its 10 s since the epoch. Keys of another type are removed
-- ARGV     [1] 'add' or 'read'; then
--          add: how many keys a set keeps at most, the denials of all keys, then per key: the key, its denials;
--          read: how many keys to return
-- Returns  read: the denials of all keys, then per key, the most denied first: the key, its denials
local SPAN, NUMBER, TOTAL = 10000000, ' ', '  '
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
  redis.call('ZADD', set, 'INCR', ARGV[3], TOTAL)
  for n = 4, #ARGV, 2 do
    redis.call('ZADD', set, 'INCR', ARGV[n + 1], ARGV[n])
  end
  -- the number and the total are larger than any count, so they stay
  local least = redis.call('ZRANGE', set, 0, -ARGV[2] - 3)
  if #least > 0 then
    redis.call('ZREM', set, unpack(least))
  end
  redis.call('PEXPIRE', set, string.format('%d', math.ceil(((current + #KEYS) * SPAN - now) / 1000)))
  return false
end

local denials, keys, total = {}, {}, 0
for _, set in ipairs(KEYS) do
  local age = current - number(set)
  local counted = age >= 0 and age < #KEYS and redis.call('ZRANGE', set, 0, -1, 'WITHSCORES') or {}
  for n = 1, #counted, 2 do
    local key = counted[n]
    if key == TOTAL then
      total = total + counted[n + 1]
    elseif key ~= NUMBER then
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
local reply = { total }
for n = 1, math.min(#keys, tonumber(ARGV[2])) do
  reply[2 * n], reply[2 * n + 1] = keys[n], denials[keys[n]]
end
return reply
