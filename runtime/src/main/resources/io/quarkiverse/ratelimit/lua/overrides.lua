-- Keeps texts by name, each with its own time to live. A reader that has not seen the newest version gets all of them. An
-- expired text makes a new version, so that readers drop it, too.
--
-- KEYS     [1] a hash: per name the time in us until which its text is kept, and the text; under '' the version: the time of
--          the last change, the time when the next text expires, and how many texts are 'paused'. A key of another type is removed
-- ARGV     [1] 'put', 'pause', 'remove' or 'read'; then
--          put: the name, the time to live in us, the text; pause: the name, the time to live in us: it stores 'paused',
--          unless the name's text lasts longer, and reads no other text; remove: the name; read: the version seen last
-- Returns  read: nothing if that version is the newest, else the version, then per name: name, text, time to live in us;
--          pause: how long the previous text would have lasted in us, 0 for none
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local MAX_TEXTS, MAX_PAUSES = 10000, 1000
local key, operation, name, ttl = KEYS[1], ARGV[1], ARGV[2], tonumber(ARGV[3])
local version = redis.pcall('HGET', key, '') or ''
if version.err then
  assert(version.err:find('WRONGTYPE', 1, true), version.err)
  redis.call('DEL', key)
  version = ''
end
local first, pauses = version:match(' (%d+) (%d+)')
first, pauses = tonumber(first or math.huge), pauses or 0

if operation == 'read' and version == name and now < first
  or operation == 'remove' and not redis.call('HGET', key, name) then
  return false
end
if operation == 'pause' then
  local till, text = (redis.call('HGET', key, name) or ''):match('^(%d+) (.*)$')
  local left = math.max(0, (till or now) - now)
  if left < ttl then
    pauses = pauses + (text == 'paused' and 0 or 1)
    if pauses > MAX_PAUSES then
      return redis.error_reply('TOOMANY there are ' .. MAX_PAUSES .. ' pauses already, further keys are not paused')
    end
    redis.call('HSET', key, name, string.format('%d paused', now + ttl),
      '', string.format('%d %d %d', now, math.min(first, now + ttl), pauses))
    redis.call('PEXPIRE', key, string.format('%d', math.max(redis.call('PTTL', key), math.ceil(ttl / 1000))))
  end
  return string.format('%d', left)
end

local all, reply, expired, last, kept = redis.call('HGETALL', key), { version }, {}, 0, 0
first, pauses = math.huge, 0
for n = 1, #all, 2 do
  local till, text = all[n + 1]:match('^(%d+) (.*)$')
  if all[n] ~= '' and (operation == 'read' or all[n] ~= name) then
    if tonumber(till) <= now then
      expired[#expired + 1] = all[n]
    else
      first, last, kept = math.min(first, till), math.max(last, till), kept + 1
      pauses = pauses + (text == 'paused' and 1 or 0)
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
  if kept - pauses >= MAX_TEXTS then
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
reply[1] = kept > 0 and string.format('%d %d %d', now, first, pauses) or ''
redis.call(kept > 0 and 'HSET' or 'HDEL', key, '', reply[1])
if kept > 0 then
  redis.call('PEXPIRE', key, string.format('%d', math.ceil((last - now) / 1000)))
end
return operation == 'read' and reply
