-- Keeps texts by name, each with its own time to live. A reader that has not seen the newest version gets all of them.
--
-- KEYS     [1] a hash: per name the time in us until which its text is kept, and the text; under '' the version
-- ARGV     [1] microseconds to add to the server's clock; [2] 'put', 'extend', 'remove' or 'read'; then
--          put, extend: the name, the text, the time to live in us; remove: the name; read: the version seen last. extend does
--          nothing if the name already lives as long
-- Returns  read: nothing if that version is the newest, else the version, then per name: name, text, time to live in us
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2] + ARGV[1]
local MAX_TEXTS = 10000
local key, operation, name = KEYS[1], ARGV[2], ARGV[3]

if operation == 'read' and (redis.call('HGET', key, '') or '') == name then
  return false
end
local reply, expired, last, kept, known = { '' }, {}, now, 0, 0
local all = redis.call('HGETALL', key)
for n = 1, #all, 2 do
  local till, text = all[n + 1]:match('^(%d+) (.*)$')
  if all[n] == '' then
    reply[1] = all[n + 1]
  elseif tonumber(till) <= now then
    expired[#expired + 1] = all[n]
  else
    last, kept, known = math.max(last, till), kept + 1, all[n] == name and tonumber(till) or known
    local at = #reply
    reply[at + 1], reply[at + 2], reply[at + 3] = all[n], text, string.format('%d', till - now)
  end
end
if operation == 'read' then
  return reply
elseif operation == 'extend' and known >= now + ARGV[5] then
  return false
end

-- Redis checks its memory before the first write only, so that is the one that needs memory.
if operation == 'remove' then
  redis.call('HDEL', key, name)
elseif kept >= MAX_TEXTS and known == 0 then
  return redis.error_reply('TOOMANY there are ' .. kept .. ' overrides already, remove some first')
else
  last = math.max(last, now + ARGV[5])
  redis.call('HSET', key, name, string.format('%d %s', now + ARGV[5], ARGV[4]))
end
for n = 1, #expired do
  if expired[n] ~= name then
    redis.call('HDEL', key, expired[n])
  end
end
redis.call('HSET', key, '', string.format('%d', now))
redis.call('PEXPIRE', key, string.format('%d', math.max(1000, math.ceil((last - now) / 1000))))
return false
