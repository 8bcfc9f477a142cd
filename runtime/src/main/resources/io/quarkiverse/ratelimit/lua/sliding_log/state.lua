-- Reads what a key of a sliding log holds.
--
-- KEYS     a list, newest first, with one ENTRY per call: its time, and the total of permits up to and including it, modulo
--          2^40. An entry counts while now < time + period. The last entry does not count: it holds the total before the others
--
-- Frequent operations read only the ends of the list. The others find their entry in O(log n) steps. Entries older than the
-- newest `permits` + 1 calls have no effect, unless newer ones are refunded, and are merged into one. So there are never more than
-- permits + 2 entries.
local ENTRY = '<I7I5' -- time total
local SIZE, TOTALS = struct.size(ENTRY), 2 ^ 40

-- The two oldest entries of a log, packed; or nothing, and whether the key holds something else.
local function oldest(key)
  local entries = redis.pcall('LRANGE', key, -2, -1)
  if #entries == 2 and #entries[1] == SIZE and #entries[2] == SIZE then
    return entries[1], entries[2]
  end
  return nil, nil, entries.err or #entries > 0
end

-- The time and the total of one of `size` entries, counted from the end that is nearer, where Redis finds it sooner.
local function entry(key, size, index)
  return struct.unpack(ENTRY, redis.call('LINDEX', key, index * 2 < size and index or index - size))
end

-- The last index for which `holds` is true, between `from`, where it is true, and `to`, where it is false. Tests neither end.
local function last_that(holds, from, to)
  local step = from < to and 1 or -1
  while (to - from - step) * step > 0 do
    if not holds(from + step) then
      to = from + step
      break
    end
    from, step = from + step, step * 2
  end
  while math.abs(to - from) > 1 do
    local middle = math.floor((from + to) / 2)
    if holds(middle) then
      from = middle
    else
      to = middle
    end
  end
  return from
end
