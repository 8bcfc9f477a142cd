-- Decides a call of several limits, or of shadow policies: all of them are asked before anything is written.
--
-- groups   one byte per limit: '0' if it can refuse the call, else the number of its shadow policy, or 'u' if all grant
--          what the least of them grants
-- Returns  the numbers of all limits, packed
decide_together = function(groups, key, arg, now)
  local ENFORCED, UP_TO = 48, 117
  local granted, value, ttl, numbers, refused, least = {}, {}, {}, {}, {}, math.huge

  local function ask(cost)
    for n = 1, #groups do
      local first, second, third, fourth
      granted[n], value[n], ttl[n], first, second, third, fourth =
        functions[ARGV[arg + 2 * n - 2]](KEYS[key + n - 1], ARGV[arg + 2 * n - 1], now, cost)
      numbers[n] = struct.pack('<ddddd', granted[n], first, second, third, fourth)
      least = math.min(least, granted[n])
      if granted[n] == 0 then
        refused[groups:byte(n)] = true
      end
    end
  end

  ask()
  if groups:byte(1) == UP_TO and least > 0 then
    ask(least)
  end
  for n = 1, #groups do
    local charged = not refused[ENFORCED] and not refused[groups:byte(n)]
    if value[n] and (charged or granted[n] == 0) then
      if ttl[n] then
        if no_memory then
          error(no_memory)
        end
        redis.call('SET', KEYS[key + n - 1], value[n], 'PX', ttl[n])
      else
        value[n]()
      end
    end
  end
  return table.concat(numbers)
end
