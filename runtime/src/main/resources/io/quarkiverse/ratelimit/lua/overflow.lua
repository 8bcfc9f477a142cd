-- Decides a call in which one of several policies is enough: a chain of a policy and its overflows. The next is asked if the one
-- before denies. The first that allows the call is charged with all of its limits.
--
-- groups   as in together.lua, and for the limits of chains: '(' for those of a first policy, '+' and '-' in turn for those of
--          its overflows. A '+' at the beginning continues a chain whose first policy is in another slot. '%' and '&' are '('
--          for a chain that denies the call only if its first policy is blocked: its last policy allows each call.
-- Returns  the numbers of all limits, packed. A limit that was not asked grants -1.
--
-- A first policy that is blocked denies the call. A denial counts towards a block only if the whole chain denies. So the
-- functions of penalties are first called as if their limits had allowed the call, which finds blocks and counts nothing.
local decide_all_together = decide_together
decide_together = function(groups, key, arg, now)
  if not groups:find('[(%%&+]') then
    return decide_all_together(groups, key, arg, now)
  end
  local ENFORCED, FIRST, OVERFLOW, NEXT_OVERFLOW = 48, 40, 43, 45
  local granted, value, ttl, numbers, pays, denied, writes, allowing, is_penalty = {}, {}, {}, {}, {}, {}, 0, {}, {}
  for n = 1, #groups do
    allowing[n], numbers[n] = 1, struct.pack(REPLY, -1, 0, 0, 0, 0)
    is_penalty[n] = ARGV[arg + 2 * n - 2] == 'penalty/apply'
  end

  local function call(n, before)
    local first, second, third, fourth
    granted[n], value[n], ttl[n], first, second, third, fourth =
      functions[ARGV[arg + 2 * n - 2]](KEYS[key + n - 1], ARGV[arg + 2 * n - 1], now, nil, before, n)
    numbers[n] = struct.pack(REPLY, granted[n], first, second, third, fourth)
    writes = writes + (value[n] and 1 or 0)
    return granted[n] ~= 0
  end
  -- Asks the policies of the chain that begins at n. Returns the position after it.
  local function ask_chain(n)
    local begin, start, paid, blocked = n, groups:byte(n), false, false
    repeat
      local from, group, asked = n, groups:byte(n), not paid and not blocked
      local allows = asked
      while groups:byte(n) == group do
        if asked then
          allows = call(n, is_penalty[n] and allowing or granted) and allows
          blocked = blocked or from == begin and start ~= OVERFLOW and is_penalty[n] and granted[n] == 0
        end
        n = n + 1
      end
      paid = paid or allows
      for limit = from, n - 1 do
        pays[limit] = allows
      end
    until groups:byte(n) ~= OVERFLOW and groups:byte(n) ~= NEXT_OVERFLOW
    local denies = not paid and not blocked and (start == FIRST or start == OVERFLOW)
    denied[ENFORCED] = denied[ENFORCED] or blocked or denies
    for penalty = begin, denies and n - 1 or 0 do
      if is_penalty[penalty] and granted[penalty] ~= 0 then
        call(penalty, granted)
      end
    end
    return n
  end
  local at = 1
  while at <= #groups do
    local group = groups:byte(at)
    if group < ENFORCED then
      at = ask_chain(at)
    else
      pays[at], denied[group], at = true, not call(at, granted) or denied[group], at + 1
    end
  end
  for n = 1, #groups do
    local charged = pays[n] and not denied[ENFORCED] and not denied[groups:byte(n)]
    if value[n] and (charged or granted[n] == 0) then
      if not ttl[n] then
        value[n](writes)
      elseif no_memory then
        error(no_memory)
      else
        redis.call('SET', KEYS[key + n - 1], value[n], 'PX', ttl[n])
      end
    end
  end
  return table.concat(numbers)
end
