package io.quarkiverse.ratelimit.runtime.config;

import java.util.Map;
import java.util.Optional;

import io.quarkus.runtime.annotations.ConfigDocDefault;
import io.quarkus.runtime.annotations.ConfigDocMapKey;
import io.quarkus.runtime.annotations.ConfigGroup;
import io.smallrye.config.WithDefault;

/** A policy: one limit of its own or several named ones, and whom they count. */
@ConfigGroup
public interface PolicyConfig extends LimitConfig {

    /**
     * Several limits by name, each with the properties that follow, in place of the policy's own, of which they inherit
     * nothing: all must admit, and none is charged when one refuses. Names are 1 to 64 letters, digits, underscores and
     * dashes.
     */
    @ConfigDocMapKey("limit")
    Map<String, LimitConfig> limits();

    /**
     * Who is calling, one part or several, comma-separated: {@code ip} (the caller's address), {@code principal} (the name
     * of the authenticated caller), {@code method} (the guarded Java method), {@code header:NAME} (the first value of a
     * request header); or {@code none} alone for one count for all. Required where an annotation uses the policy.
     */
    Optional<String> key();

    /**
     * What happens when a part of the key is absent, such as the name of an anonymous caller: {@code ip} counts the
     * caller's address instead, or, where there is none, all such callers together; {@code shared} counts all such callers
     * together; {@code refuse} refuses the call; {@code skip} leaves the policy out.
     */
    @WithDefault("ip")
    Optional<String> missingKey();

    /** What the policy does when Redis cannot decide: {@code local}, {@code allow} or {@code refuse}. */
    @ConfigDocDefault("the value of quarkus.rate-limit.on-redis-failure")
    Optional<String> onRedisFailure();

    /**
     * Whether the policy refuses calls: {@code enforce} does, {@code shadow} counts, logs at DEBUG what it would
     * have refused, and admits it.
     */
    @WithDefault("enforce")
    Optional<String> mode();

    /**
     * Whether the policy is in force, {@code true} or {@code false}. When {@code false} it admits every call and counts
     * nothing; it is checked all the same, and annotations may name it.
     */
    @WithDefault("true")
    Optional<String> enabled();
}
