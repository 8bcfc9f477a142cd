-- Decides a call that has several limits or shadow policies: it calls the functions of all limits before it writes anything.
--
-- groups   one byte per limit: '0' if the limit can deny the call, '1' to '~' for its shadow policy if not, or '*' if all
--          limits grant as many as the strictest
-- Returns  the numbers of all limits, packed
decide_together = function(groups, key, arg, now)
  local ENFORCED, EQUAL = 48, 42
  local granted, value, ttl, numbers, denied, least, writes = {}, {}, {}, {}, {}, math.huge, 0

  local function call_all(cost)
    for n = 1, #groups do
      local first, second, third, fourth
      granted[n], value[n], ttl[n], first, second, third, fourth =
        functions[ARGV[arg + 2 * n - 2]](KEYS[key + n - 1], ARGV[arg + 2 * n - 1], now, cost, granted, n)
      numbers[n] = struct.pack(REPLY, granted[n], first, second, third, fourth)
      least = math.min(least, granted[n])
      if granted[n] == 0 then
        denied[groups:byte(n)] = true
      end
    end
  end

  call_all()
  if groups:byte(1) == EQUAL and least > 0 then
    call_all(least)
  end
  for n = 1, #groups do
    writes = writes + (value[n] and 1 or 0)
  end
  for n = 1, #groups do
    local charged = not denied[ENFORCED] and not denied[groups:byte(n)]
    if value[n] and (charged or granted[n] == 0) then
      if ttl[n] then
        if no_memory then
          error(no_memory)
        end
        redis.call('SET', KEYS[key + n - 1], value[n], 'PX', ttl[n])
      else
        value[n](writes)
      end
    end
  end
  return table.concat(numbers)
end
