-- Reads the pauses that have changed, after pauses.lua.
--
-- ARGV     [1] the version seen last, [2] the time by the clock of the reader, in us
-- Returns  nothing if that version is the newest and the clock has not been set since; else the newest, the time, 'all' or
--          'changes', then for each the sign, the name and its time left in us. 'all' ends with all pauses, because the
--          earlier version is not known any more, or the clock has been set.
local MAX_DIFFERENCE = 1000000
local known_version, reader_time = ARGV[1], ARGV[2]
local newest = redis.call('LINDEX', changes, 0)
local version = newest and newest:match('^%d+') or ''
local is_set = math.abs(now - reader_time) >= MAX_DIFFERENCE
if version == known_version and not is_set then
  return false
end
local list, reply, known = redis.call('LRANGE', changes, 0, -1), { version, now, 'changes' }, 0
for n = 1, #list do
  if list[n]:match('^%d+') == known_version then
    known = n
    break
  end
end
if known_version == '' and #list < MAX_CHANGES then
  known = #list + 1
end
for n = known - 1, 1, -1 do
  local sign, till, changed = list[n]:match('^%d+(.)(%d+) (.*)$')
  local at = #reply
  reply[at + 1], reply[at + 2], reply[at + 3] = sign, changed, string.format('%d', till - now)
end
if known == 0 or is_set then
  reply[3] = 'all'
  local ends = redis.call('ZRANGE', all, 0, -1, 'WITHSCORES')
  for n = 1, #ends, 2 do
    if ends[n] ~= '' and tonumber(ends[n + 1]) > now then
      local at = #reply
      reply[at + 1], reply[at + 2], reply[at + 3] = '+', ends[n], string.format('%d', ends[n + 1] - now)
    end
  end
end
return reply
