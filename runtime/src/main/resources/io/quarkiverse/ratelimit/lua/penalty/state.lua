-- Reads and writes what a key of a penalty holds. Only a key that was denied has one.
--
-- KEYS     a string, STATE: when the last block began and ends, and its length. Then one DENIAL per counted denial, oldest
--          first: the last `after` - 1 of them
--
-- If the last block or denial begins in the future, the clock has jumped back. A block then begins again now, and a denial
-- counts as of now, so no key is blocked for longer than before the jump.
local STATE = '<I7I7I7' -- began ends penalty
local DENIAL = '<I7' -- at
local SIZE, DENIAL_SIZE = struct.size(STATE), struct.size(DENIAL)

-- The state of the key: STATE, and the packed times of the denials.
local function current(key)
  local state = redis.pcall('GET', key)
  if state and state.err and not state.err:find('WRONGTYPE', 1, true) then
    error(state)
  elseif not state or state.err or #state < SIZE or (#state - SIZE) % DENIAL_SIZE > 0 then
    return 0, 0, 0, ''
  end
  local began, ends, penalty = struct.unpack(STATE, state)
  return began, ends, penalty, state:sub(SIZE + 1)
end

-- The time of the denial with this many denials after it.
local function denial(denials, later)
  return (struct.unpack(DENIAL, denials, #denials - (later + 1) * DENIAL_SIZE + 1))
end

-- The packed times with none of them in the future.
local function none_in_the_future(denials, now)
  if #denials == 0 or denial(denials, 0) <= now then
    return denials
  end
  return (denials:gsub(('.'):rep(DENIAL_SIZE), function(at)
    return struct.unpack(DENIAL, at) > now and struct.pack(DENIAL, now)
  end))
end

-- A function that writes the state until it no longer matters. It writes nothing if memory is full: a call is denied even if
-- that cannot be counted.
local function writing(key, now, began, ends, penalty, denials, within, max_block)
  return function()
    local matters = math.max(ends + (penalty > 0 and max_block or 0), #denials > 0 and denial(denials, 0) + within or 0)
    local ttl = string.format('%d', math.ceil((matters - now) / 1000) + 1)
    local reply = not no_memory
      and redis.pcall('SET', key, struct.pack(STATE, began, ends, penalty) .. denials, 'PX', ttl)
    if reply and reply.err and not reply.err:find('OOM', 1, true) then
      error(reply)
    end
  end
end
