package io.quarkiverse.ratelimit.docs;

import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;

/**
 * A bound of the limiter: the constant that enforces it, and what happens beyond it.
 *
 * @param type the simple name of the class with the constant
 * @param constant its name, or that of a property with a default
 */
record Bound(String what, String type, String constant, String beyond) {

    private static final Path SOURCES = Path.of("../runtime/src/main/java");

    static final List<Bound> VALUES = List.of(
            new Bound("`permits`, `burst`, cost of a call, at most", "Limit", "MAX_PERMITS", "The start or the call fails."),
            new Bound("cost of a call under `concurrency`, at most", "Limit", "MAX_HELD_PERMITS", "The same."),
            new Bound("`period`, at least", "Limit", "MIN_PERIOD", "The same."),
            new Bound("`period`, at most", "Limit", "MAX_PERIOD", "The same."),
            new Bound("`burst * period / permits`, at most", "Limit", "MAX_FILL_TIME", "The same."),
            new Bound("`lease-time`, at least", "Limit", "MIN_LEASE_TIME", "The same."),
            new Bound("`lease-time`, at most", "Limit", "MAX_LEASE_TIME", "The same."),
            new Bound("`timeout`, at least", "SettingsReader", "MIN_TIMEOUT", "The start fails."),
            new Bound("`timeout`, at most", "SettingsReader", "MAX_TIMEOUT", "The same."),
            new Bound("`max-delayed`, at most", "SettingsReader", "MAX_DELAYED", "The same."),
            new Bound("`replicas`, at most", "SettingsReader", "MAX_REPLICAS", "The same."),
            new Bound("`proxy-hops`, at most", "SettingsReader", "MAX_PROXY_HOPS", "The same."),
            new Bound("characters of `key-prefix`, at most", "SettingsReader", "MAX_KEY_PREFIX", "The same."),
            new Bound("`denial-cache`, at most", "PolicyReader", "MAX_DENIAL", "The same."),
            new Bound("`retry-after-jitter`, at most", "PolicyReader", "MAX_JITTER", "The same."),
            new Bound("`prefetch-time`, at most", "PolicyReader", "MAX_PREFETCH_TIME", "The same."),
            new Bound("`plan-cache`, at most", "PlanReader", "MAX_CACHE", "The same."),
            new Bound("`penalty.after`, at most", "Penalty", "MAX_AFTER", "The same."));

    static final List<Bound> INSTANCE = List.of(
            new Bound("keys counted in memory (`store=memory`, `local`)", "StateMap", "MAX_WEIGHT",
                    "The keys that expire soonest are evicted. These callers get all their permits back. Long logs and many"
                            + " permits in use count as several keys."),
            new Bound("calls in a `sliding-log` of one key in memory", "CallLog", "LONGEST",
                    "Calls that are close to each other are stored as one. Their permits come back later, never earlier."),
            new Bound("denials that the denial cache keeps", "DenialCache", "MAX_ENTRIES",
                    "All of them are evicted. Redis decides the next call of each key."),
            new Bound("keys with permits acquired ahead (`prefetch`)", "PrefetchedPermits", "MAX_KEYS",
                    "Redis decides each call of a further key."),
            new Bound("results of a plan bean, per policy (`plan-cache`)", "PlanCache", "MAX_KEYS",
                    "The result that was used least recently is evicted. The bean is called again."),
            new Bound("requests that wait for Redis, per event loop", "RedisQueue", "MAX_WAITING",
                    "`on-redis-failure` decides the call."),
            new Bound("refunds that are repeated in the background", "Refunds", "MAX_RETRYING",
                    "The refund is lost: its permits come back by themselves. `rate.limit.refunds.lost` counts it."),
            new Bound("how long a refund is repeated", "Refunds", "RETRY_TIME", "The refund is lost, too."),
            new Bound("calls delayed by `max-wait`, by default (`max-delayed`)", "RateLimitConfig", "maxDelayed",
                    "A further call that would have to wait is denied."),
            new Bound("releases of `concurrency` permits that are repeated for other instances or lost replies",
                    "Leases", "MAX_FOREIGN", "The permits come back within `lease-time`."),
            new Bound("denied keys counted for `mostDenied`, per policy", "MostDenied", "MAX_KEYS",
                    "The keys denied least are not counted."),
            new Bound("names of limiters from `RateLimiters.create` in metrics", "LimiterMeters", "MAX_OF_CODE",
                    "Further ones are counted together, as `(others)`."),
            new Bound("keys denied within a second, for `RateLimitExceeded`", "RecentKeys", "MAX_KEYS",
                    "Further keys fire no event."),
            new Bound("keys that reach `warn-at` within a minute, per policy", "RecentKeys", "MAX_KEYS",
                    "Further keys fire no event, and `rate.limit.approached` does not count them."),
            new Bound("events of one type that wait for their observers", "AsyncEvents", "MAX_UNFINISHED",
                    "The event is dropped."));

    static final List<Bound> SHARED = List.of(
            new Bound("overrides and blocks, with `store=memory` per instance", "OverrideStore", "MAX_TEXTS",
                    "One more fails with an `IllegalStateException`."),
            new Bound("pauses of a policy", "OverrideStore", "MAX_PAUSES_OF_POLICY",
                    "The one that ends first makes place. It holds only on the instance that began it."),
            new Bound("pauses of all policies; also those that an instance keeps itself", "OverrideStore", "MAX_PAUSES",
                    "The one of the same policy that ends first makes place."),
            new Bound("keys that `blocked` lists", "Administration", "MAX_BLOCKED", "The longest blocks are listed."),
            new Bound("keys that `mostDenied` returns", "LimitAdmin", "MAX_DENIED", "The call fails."),
            new Bound("overrides of a policy that `GET policies` lists", "AdminJson", "MAX_OVERRIDES",
                    "Further ones are not listed."),
            new Bound("bytes in the body of a request to the administration", "AdminHandler", "MAX_BODY_BYTES",
                    "Status 413."),
            new Bound("newer calls in a `sliding-log`, for a refund", "SlidingLog", "MAX_NEWER",
                    "Nothing is refunded."),
            new Bound("points in time that a token bucket stores for exact refunds", "TokenBucketPoints", "MAX_POINTS",
                    "A refund may return slightly less."),
            new Bound("characters of a key part that `normalize=nfkc` converts", "Normalization", "MAX_LENGTH",
                    "Longer parts keep their form."),
            new Bound("characters of a key part that is stored as it is", "KeyPart$StoredForm", "MAX_PLAIN_LENGTH",
                    "Its SHA-256 is stored."));

    /** As people write it: 10 000, 250 ms, 366 days. */
    String value() throws IOException, ReflectiveOperationException {
        Class<?> declaring = declaring();
        if (declaring.isAnnotationPresent(ConfigMapping.class)) {
            String value = declaring.getMethod(constant).getAnnotation(WithDefault.class).value();
            return Measured.plain(Long.parseLong(value));
        }
        Field field = declaring.getDeclaredField(constant);
        field.setAccessible(true);
        Object value = field.get(null);
        return value instanceof Duration duration ? text(duration) : Measured.plain(((Number) value).longValue());
    }

    private static String text(Duration duration) {
        return duration.toDays() > 0 ? plural(duration.toDays(), "day")
                : duration.toMinutes() > 0 ? plural(duration.toMinutes(), "minute")
                        : duration.toSeconds() > 0 ? plural(duration.toSeconds(), "second") : duration.toMillis() + " ms";
    }

    private static String plural(long number, String unit) {
        return Measured.plain(number) + ' ' + unit + (number == 1 ? "" : "s");
    }

    /** Wherever the class is: its package is not part of what a bound is. */
    private Class<?> declaring() throws IOException, ClassNotFoundException {
        String file = type.replaceFirst("\\$.*", "") + ".java";
        try (Stream<Path> files = Files.find(SOURCES, 20, (path, attributes) -> path.endsWith(file))) {
            Path path = files.findFirst().orElseThrow(() -> new AssertionError("no " + file));
            String name = SOURCES.relativize(path.resolveSibling(type)).toString().replace('/', '.');
            return Class.forName(name);
        }
    }
}
