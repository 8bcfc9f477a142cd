package io.quarkiverse.ratelimit.runtime.caller;

import static org.assertj.core.api.Assertions.assertThat;

import java.text.Normalizer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.runtime.algorithm.Operation.PlainOperation;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.caller.KeyTemplate.CallDetails;
import io.quarkiverse.ratelimit.runtime.caller.address.AddressForm;
import io.quarkiverse.ratelimit.runtime.caller.fixtures.TestCaller;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.store.LimitStore;
import io.quarkiverse.ratelimit.runtime.store.StoreReply;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest;
import io.quarkiverse.ratelimit.runtime.store.fixtures.RandomLimits;
import io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests;
import io.quarkiverse.ratelimit.runtime.store.memory.LocalStore;
import io.quarkiverse.ratelimit.runtime.store.memory.UnboundedStore;
import io.quarkiverse.ratelimit.runtime.store.redis.RedisStore;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.FrozenRedis;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.RealRedis;

/**
 * Whatever callers do, the spellings that {@code normalize} makes equal count as one caller, and all others do not. The oracle
 * does not read the text: it counts by the name of a caller, and by those differences of its spelling that stay.
 */
class NormalizationHistoriesTest {

    private static final long START = 1_763_640_000_000_000L;
    private static final Duration SOON = Duration.ofSeconds(10);
    private static final int STEPS = 600;
    private static final String[] NAMES = { "j\u00fcrgen@x.org", "\u00e5sa", "\u017eofia-2" };
    private static final String[] PARTS = { "principal", "header:x", "cookie:x", "path:x", "query:x", "claim:x", "bean:x" };

    @RegisterExtension
    static final RealRedis REDIS = new RealRedis();

    private final AtomicLong clock = new AtomicLong(START);
    private final LimitStore java = UnboundedStore.withTime(clock::get);

    /** A text, and the caller that it stands for. */
    private record Spelling(String text, String caller) {
    }

    @ParameterizedTest
    @ValueSource(longs = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 })
    void spellingsCountAsTheNormalizationsSay(long seed) {
        Random random = new Random(seed);
        Set<Normalization> given = EnumSet.noneOf(Normalization.class);
        for (Normalization one : Normalization.values()) {
            if (random.nextInt(3) > 0) {
                given.add(one);
            }
        }
        try (RedisStore redis = FrozenRedis.store(REDIS, clock::get)) {
            callAtRandom(redis, seed, given, random);
        }
        clock.set(START);
        callAtRandom(new LocalStore(clock::get), seed, given, random);
    }

    private void callAtRandom(LimitStore store, long seed, Set<Normalization> given, Random random) {
        Limit limit = RandomLimits.any(random);
        Policy policy = StoreRequests.policy("policy", limit);
        String part = random.nextInt(4) == 0 ? null : PARTS[random.nextInt(PARTS.length)];
        String history = store.getClass().getSimpleName() + seed;
        Set<String> spelled = new HashSet<>();
        Set<String> counted = new HashSet<>();
        for (int step = 0; step < STEPS; step++) {
            clock.addAndGet(Math.max(0, RandomLimits.step(limit, random)));
            Spelling spelling = spelling(history, given, random);
            String key = key(part, spelling.text, Normalization.steps(given), random.nextBoolean());
            boolean resets = random.nextInt(30) == 0;
            PermitRequest requested = new PermitRequest(random.nextInt(4) == 0 ? 1 + random.nextInt(3) : 1,
                    OperationKind.values()[random.nextInt(4)], step + 1);

            StoreReply byStore = decide(store, request(policy, requested, key, resets));
            StoreReply byJava = decide(java, request(policy, requested, spelling.caller, resets));

            assertThat(byStore).as("seed %d, step %d: %s of %s as %s under %s, reset %s", seed, step, requested, spelling, key,
                    given, resets).isEqualTo(byJava);
            spelled.add(spelling.text);
            counted.add(spelling.caller);
        }
        assertThat(counted).hasSizeBetween(NAMES.length, spelled.size());
    }

    private static StoreReply decide(LimitStore store, StoreRequest request) {
        return store.decide(request).await().atMost(SOON);
    }

    private static StoreRequest request(Policy policy, PermitRequest requested, String caller, boolean resets) {
        return resets
                ? new StoreRequest(List.of(StoreRequests.operation(policy.name(), policy.limits().get(0).storedName(), caller,
                        PlainOperation.RESET)))
                : StoreRequests.requestOf(policy, requested, caller);
    }

    private static Spelling spelling(String history, Set<Normalization> given, Random random) {
        String text = NAMES[random.nextInt(NAMES.length)] + history.toLowerCase(Locale.ROOT);
        List<String> differences = new ArrayList<>(List.of(text));
        if (random.nextBoolean()) {
            text = text.toUpperCase(Locale.ROOT);
            differences.add(given.contains(Normalization.LOWER_CASE) ? "" : "upper case");
        }
        if (random.nextBoolean()) {
            text = Normalizer.normalize(text, Normalizer.Form.NFD);
            differences.add(given.contains(Normalization.NFKC) ? "" : "decomposed");
        }
        if (random.nextBoolean()) {
            boolean before = random.nextBoolean();
            text = before ? " " + text : text + " ";
            differences.add(given.contains(Normalization.TRIM) ? "" : before ? "space before" : "space after");
        }
        return new Spelling(text, String.join("|", differences.stream().filter(difference -> !difference.isEmpty()).toList()));
    }

    /**
     * The key of a request or of code.
     *
     * @param part {@code null} for an argument with {@code @RateLimitKey}
     */
    private static String key(String part, String text, List<Normalization> steps, boolean request) {
        KeyTemplate template = part == null ? KeyTemplate.GLOBAL : KeyParser.parse(part, TestCaller.WARNING);
        Object[] arguments = part == null ? new Object[] { text } : new Object[0];
        return request
                ? template
                        .resolve(new CallDetails(new TestCaller(part == null ? Map.of() : Map.of(part, text)), null,
                                TestCaller.arguments(arguments),
                                Map.of("x", text)), "test", MissingKey.SKIP, steps)
                : new PassedKey.Reader("test", template, steps, arguments.length, new AddressForm(64)).read(text).stored();
    }
}
