package io.quarkiverse.ratelimit.runtime.algorithm;

/**
 * The numbers that a script function returns for one limit, the layout {@code REPLY} of {@code algorithms.lua}. The header of
 * its file says what the four numbers after {@code granted} mean.
 *
 * @param granted the number of permits granted; 0 if the limit denies
 */
public record ReplyNumbers(long granted, long first, long second, long third, long fourth) {
}
