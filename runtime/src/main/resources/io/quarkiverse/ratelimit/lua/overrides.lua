-- Keeps texts by name, each with its own time to live. A reader that has not seen the newest version gets all of them. An
-- expired text makes a new version, so that readers drop it, too.
--
-- KEYS     [1] a hash: per name the time in us until which its text is kept, and the text; under '' the version: the time of
--          the last change, and the time when the next text expires. A key of another type is removed
-- ARGV     [1] 'put', 'remove' or 'read'; then put: the name, the time to live in us, the text; remove: the name;
--          read: the version seen last, and the time by the clock of the reader, in us
-- Returns  read: nothing if that version is the newest and the clock has not been set since; else the version, then per name: name, text, time to live in us
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local MAX_TEXTS, MAX_DIFFERENCE = 10000, 1000000
local key, operation, name, ttl = KEYS[1], ARGV[1], ARGV[2], tonumber(ARGV[3])
local version = redis.pcall('HGET', key, '') or ''
if version.err then
  assert(version.err:find('WRONGTYPE', 1, true), version.err)
  redis.call('DEL', key)
  version = ''
end
local first = tonumber(version:match(' (%d+)') or math.huge)

if operation == 'read' and version == name and now < first and math.abs(now - ARGV[3]) < MAX_DIFFERENCE
  or operation == 'remove' and not redis.call('HGET', key, name) then
  return false
end
local all, reply, expired, last, kept = redis.call('HGETALL', key), { version }, {}, 0, 0
first = math.huge
for n = 1, #all, 2 do
  local till, text = all[n + 1]:match('^(%d+) (.*)$')
  if all[n] ~= '' and (operation == 'read' or all[n] ~= name) then
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
if operation == 'put' then
  if kept >= MAX_TEXTS then
    return redis.error_reply('TOOMANY there are ' .. MAX_TEXTS .. ' overrides and blocks already, remove some first')
  end
  first, last, kept = math.min(first, now + ttl), math.max(last, now + ttl), kept + 1
  redis.call('HSET', key, name, string.format('%d %s', now + ttl, ARGV[4]))
elseif operation == 'remove' then
  redis.call('HDEL', key, name)
end
for _, old in ipairs(expired) do
  redis.call('HDEL', key, old)
end
reply[1] = kept > 0 and string.format('%d %d', now, first) or ''
redis.call(kept > 0 and 'HSET' or 'HDEL', key, '', reply[1])
if kept > 0 then
  redis.call('PEXPIRE', key, string.format('%d', math.ceil((last - now) / 1000)))
end
return operation == 'read' and reply
