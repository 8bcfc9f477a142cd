-- Runs one function with readable arguments, in place of decide.lua, or decodes a key. The shell script by_hand puts it behind
-- the files of an algorithm and the table `layouts`.
--
-- KEYS     the key
-- ARGV     the function, then name=value for fields of its arguments: the others are 0 or derived. kind is acquire, up_to,
--          charge, peek or prefetch. A time is in us, or ends with ms, s, m, h or d; now=<time> replaces the time of the server.
--          For penalty/apply, granted=1 stands for a limit that allows the call; otherwise a limit denies it.
--          For `<algorithm>/decode` nothing more
-- Returns  acquire, refund: the numbers of the reply, and whether anything was written. decode: the fields of the key
local UNITS = { [''] = 1, ms = 1e3, s = 1e6, m = 6e7, h = 36e8, d = 864e8 }
local KINDS = { acquire = 0, up_to = 1, charge = 2, peek = 3, prefetch = 4 }
local key, time, lines = KEYS[1], redis.call('TIME'), {}

local function line(...)
  lines[#lines + 1] = string.format(...)
end

-- An id given by hand as it is, an id of an application in hexadecimal.
local function readable(id)
  local text = id:gsub('%z+$', '')
  return text:find('[^%w%p]') and id:gsub('.', function(byte) return string.format('%02x', byte:byte()) end) or text
end

-- Adds a line with the fields of a layout, and returns the position after them.
local function decode(name, state, position)
  local fields, values = {}, { struct.unpack(layouts[name].format, state, position) }
  for field in layouts[name].names:gmatch('%S+') do
    local value = values[#fields + 1]
    fields[#fields + 1] = field .. '=' .. (type(value) == 'number' and string.format('%.0f', value) or readable(value))
  end
  line('%s', table.concat(fields, ' '))
  return values[#values]
end

if ARGV[1]:find('/decode$') then
  local kind = redis.call('TYPE', key).ok
  if kind == 'string' then
    local state = redis.call('GET', key)
    local position = decode('STATE', state, 1)
    for _, name in ipairs({ 'REFUNDED', 'BEGIN' }) do
      position = layouts[name] and position <= #state and decode(name, state, position) or position
    end
    while position <= #state do
      position = decode(layouts.POINT and 'POINT' or 'DENIAL', state, position)
    end
  elseif kind == 'list' then
    for _, entry in ipairs(redis.call('LRANGE', key, 0, -1)) do
      decode('ENTRY', entry, 1)
    end
  elseif kind == 'zset' then
    local members = redis.call('ZRANGE', key, 0, -1, 'WITHSCORES')
    for n = 1, #members, 2 do
      line('score=%s', members[n + 1])
      if members[n] ~= '' then
        decode('MEMBER', members[n], 1)
      end
    end
  end
  line('expires in %d ms', redis.call('PTTL', key))
  return lines
end

local given = { now = time[1] * 1000000 + time[2], kind = 0, cost = 1, permits = 1, period = 1e6, interval = 0, id = '1',
  limits = 1, granted = 0 }
for n = 2, #ARGV do
  local name, value = ARGV[n]:match('^([%w_]+)=(.*)$')
  local number, unit = (value or ''):match('^(%d+)(%a*)$')
  given[name or ''] = name ~= 'id' and (KINDS[value] or number and UNITS[unit] and number * UNITS[unit]) or value
end
-- the level of a token bucket for this number of permits
local function level(count)
  if given.interval == 1 then
    return count, 0
  end
  local product = count * given.period
  return math.floor(product / given.permits), product % given.permits
end
given.least, given.count, given.refunded = given.least or given.cost, given.cost, given.cost
given.increment, given.increment_rest = level(given.cost)
given.capacity, given.capacity_rest = level(given.burst or given.permits)

local layout, values = layouts[ARGV[1]:match('[%l_]+$'):upper()] or layouts.ARGUMENTS, {}
for name in layout.names:gmatch('%S+') do
  values[#values + 1] = name == 'id' and (given.id .. ('\0'):rep(8)):sub(1, 8) or given[name] or 0
end
local granted, value, ttl, first, second, third, fourth =
  functions[ARGV[1]](key, struct.pack(layout.format, unpack(values)), given.now, nil, { given.granted }, 2)
if ttl then
  redis.call('SET', key, value, 'PX', ttl)
elseif value then
  value()
end
line('granted %d', granted)
line('numbers %.0f %.0f %.0f %.0f', first, second, third, fourth)
line('now %.0f', given.now)
line(value and 'written' or 'nothing written')
return lines
