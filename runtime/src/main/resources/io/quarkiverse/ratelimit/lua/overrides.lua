-- Keeps texts by name, each with its own time to live. A reader that has not seen the newest version gets all of them. An
-- expired text makes a new version, so that readers drop it, too.
--
-- KEYS     [1] a hash: per name the time in us until which its text is kept, and the text; under '' the version: the time of
--          the last change, and the time when the next text expires
-- ARGV     [1] microseconds to add to the server's clock; [2] 'put', 'extend', 'remove' or 'read'; then
--          put, extend: the name, the text, the time to live in us; remove: the name; read: the version seen last
--          extend changes nothing if the name has a text that lasts longer and is not 'unblocked'
-- Returns  read: nothing if that version is the newest, else the version, then per name: name, text, time to live in us;
--          extend: how long the previous text would have lasted in us, 0 for none
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2] + ARGV[1]
local MAX_TEXTS = 10000
local key, operation, name = KEYS[1], ARGV[2], ARGV[3]
local version = redis.call('HGET', key, '') or ''

if operation == 'read' and version == name and now < tonumber(version:match(' (%d+)') or math.huge)
  or operation == 'remove' and not redis.call('HGET', key, name) then
  return false
end
local before, known = (operation == 'extend' and redis.call('HGET', key, name) or ''):match('^(%d+) (.*)$')
before = string.format('%d', math.max(0, (known ~= 'unblocked' and before or now) - now))
if operation == 'extend' and tonumber(before) >= tonumber(ARGV[5]) then
  return before
end
local changed = operation ~= 'read' and name
local reply, expired, first, last, kept = { version }, {}, math.huge, 0, 0
local all = redis.call('HGETALL', key)
for n = 1, #all, 2 do
  local till, text = all[n + 1]:match('^(%d+) (.*)$')
  if all[n] ~= '' and all[n] ~= changed then
    if tonumber(till) <= now then
      expired[#expired + 1] = all[n]
    else
      first, last, kept = math.min(first, till), math.max(last, till), kept + 1
      local at = #reply
      reply[at + 1], reply[at + 2], reply[at + 3] = all[n], text, string.format('%d', till - now)
    end
  end
end
if operation == 'read' and #expired == 0 then
  return reply
end

-- Redis checks its memory before the first write only, so that is the one that needs memory.
if operation == 'put' or operation == 'extend' then
  if kept >= MAX_TEXTS then
    return redis.error_reply('TOOMANY there are ' .. kept .. ' overrides and blocks already, remove some first')
  end
  local till = now + ARGV[5]
  first, last, kept = math.min(first, till), math.max(last, till), kept + 1
  redis.call('HSET', key, name, string.format('%d %s', till, ARGV[4]))
elseif operation == 'remove' then
  redis.call('HDEL', key, name)
end
for n = 1, #expired do
  redis.call('HDEL', key, expired[n])
end
if kept == 0 then
  redis.call('HDEL', key, '')
  reply[1] = ''
else
  reply[1] = string.format('%d %d', now, first)
  redis.call('HSET', key, '', reply[1])
  redis.call('PEXPIRE', key, string.format('%d', math.ceil((last - now) / 1000)))
end
return operation == 'read' and reply or operation == 'extend' and before
