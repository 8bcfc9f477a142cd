-- Denies the calls of a blocked key, and blocks a key that its policy has denied too often.
--
-- KEYS     see state.lua
-- ARGV     ARGUMENTS: the times are in us. The functions of the policy's `limits` limits ran just before. `after` is 0 if the
--          call does not count as a denial. Code has blocked the key for another `blocked`
-- Returns  granted: 0 if the key is blocked or one of those limits denies, else more than any call acquires; us until the block
--          ends, 0 if the key is not blocked; 0, 0, 0
--
-- A key is blocked at its denial number `after` within any span of `within`. A block that begins within `max_block` of
-- the end of the last one is twice as long as that, up to `max_block`. Its denials do not count for the next block. A blocked
-- call counts nothing and prolongs nothing.
local ARGUMENTS = '<BI2I2I7I7I7I7' -- kind limits after within block max_block blocked
local ALLOWED = 1e15

functions['penalty/apply'] = function(key, arguments, now, _, granted, n)
  local kind, limits, after, within, block, max_block, blocked = struct.unpack(ARGUMENTS, arguments)
  local began, ends, penalty, denials = current(key)
  local repair
  if now < ends and began > now then
    began, ends = now, now + ends - began
    repair = kind ~= PEEK
      and writing(key, now, began, ends, penalty, none_in_the_future(denials, now), within, max_block) or nil
  end
  blocked = math.max(blocked, ends - now)
  if blocked > 0 then
    return 0, repair, nil, blocked, 0, 0, 0
  end

  if after == 0 then
    return ALLOWED, nil, nil, 0, 0, 0, 0
  end
  local denied = false
  for limit = n - limits, n - 1 do
    denied = denied or granted[limit] == 0
  end
  if not denied then
    return ALLOWED, nil, nil, 0, 0, 0, 0
  end
  denials = none_in_the_future(denials, now)
  local earlier = after - 1
  if earlier == 0 or #denials >= earlier * DENIAL_SIZE and now < denial(denials, earlier - 1) + within then
    penalty = penalty > 0 and now < ends + max_block and math.min(2 * penalty, max_block) or block
    began, ends, denials = now, now + penalty, ''
  else
    denials = denials .. struct.pack(DENIAL, now)
    denials = denials:sub(math.max(1, #denials - earlier * DENIAL_SIZE + 1))
  end
  return 0, writing(key, now, began, ends, penalty, denials, within, max_block), nil, math.max(0, ends - now), 0, 0, 0
end
