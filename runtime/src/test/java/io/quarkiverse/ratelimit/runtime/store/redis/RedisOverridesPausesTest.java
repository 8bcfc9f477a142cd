package io.quarkiverse.ratelimit.runtime.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.groups.Tuple.tuple;

import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.runtime.store.LimiterClock;
import io.quarkiverse.ratelimit.runtime.store.OverrideStore;
import io.quarkiverse.ratelimit.runtime.store.OverrideStore.PauseChange;
import io.quarkiverse.ratelimit.runtime.store.OverrideStore.PauseChange.Kind;
import io.quarkiverse.ratelimit.runtime.store.OverrideStore.PauseChanges;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.RealRedis;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.vertx.redis.client.Command;

class RedisOverridesPausesTest {

    private static final Duration SOON = Duration.ofSeconds(20);
    private static final Duration HOUR = Duration.ofHours(1), MINUTE = Duration.ofMinutes(1);

    @RegisterExtension
    static final RealRedis REDIS = new RealRedis();

    private final LimiterClock time = new LimiterClock();
    private final RedisStore store = REDIS.newStore(SOON, time);
    private final LongSupplier now = time.ofThisInstance(Clock.systemUTC());
    private final OverrideStore pauses = new RedisOverrides(store, "test");

    @AfterEach
    void close() {
        store.close();
        REDIS.send(Command.FLUSHALL);
    }

    @Test
    void pauseIsExtendedButNotShortened() {
        assertThat(pause("a", "key", MINUTE)).isZero();
        assertThat(pause("a", "key", Duration.ofSeconds(30))).isBetween(Duration.ofSeconds(40), MINUTE);
        assertThat(pause("a", "key", HOUR)).isBetween(Duration.ofSeconds(40), MINUTE);
        assertThat(read("").changes()).last().extracting(PauseChange::left)
                .satisfies(left -> assertThat(left).isBetween(Duration.ofMinutes(59), HOUR));

        time.advance(HOUR);
        assertThat(pause("a", "key", MINUTE)).isZero();
    }

    @Test
    void changesAreReadOnce() {
        assertThat(read("")).isNull();
        pause("a", "one", HOUR);
        pause("a", "two", HOUR);
        PauseChanges first = read("");
        assertThat(first.changes()).extracting(PauseChange::name).containsExactlyInAnyOrder("!a one", "!a two");
        assertThat(read(first.version())).isNull();

        pause("b", "three", HOUR);
        end("a", "one");
        PauseChanges second = read(first.version());
        assertThat(second.all()).isFalse();
        assertThat(second.changes()).extracting(PauseChange::name, PauseChange::kind).containsExactly(
                tuple("!b three", Kind.PAUSED),
                tuple("!a one", Kind.ENDED));
    }

    @Test
    void allAreReadAfterManyChangesAndAfterLosses() {
        pause("a", "one", HOUR);
        String known = read("").version();
        pauseMany("b", 1_000, HOUR);
        assertThat(read(known)).returns(true, PauseChanges::all)
                .satisfies(all -> assertThat(all.changes()).hasSize(1_001));

        REDIS.send(Command.FLUSHALL);
        assertThat(read(known)).returns(true, PauseChanges::all).satisfies(all -> assertThat(all.changes()).isEmpty());
        pause("a", "two", HOUR);
        assertThat(read(known).changes()).extracting(PauseChange::name).containsExactly("!a two");
    }

    @Test
    void firstToEndOfTheSamePolicyMakesPlace() {
        pause("b", "short", MINUTE);
        pause("a", "short", MINUTE.multipliedBy(2));
        pauseMany("a", 999, HOUR);
        String known = read("").version();

        pause("a", "further", HOUR);

        assertThat(read(known).changes()).extracting(PauseChange::name, PauseChange::kind).containsExactly(
                tuple("!a short", Kind.REPLACED),
                tuple("!a further", Kind.PAUSED));
        assertThat(read("").changes()).hasSize(1_001).extracting(PauseChange::name).contains("!b short");
        // a pause that is extended takes no further place
        pause("a", "further", HOUR.multipliedBy(2));
        assertThat(read("").changes()).hasSize(1_001);
    }

    @Test
    void pausesThatHaveEndedMakePlace() {
        pauseMany("a", 1_000, MINUTE);
        time.advance(MINUTE);
        String known = read("").version();

        pause("a", "further", HOUR);

        assertThat(read(known).changes()).extracting(PauseChange::kind).containsExactly(Kind.PAUSED);
        assertThat(read("").changes()).hasSize(1);
    }

    @Test
    void allPoliciesTogetherAreBoundedAndTakeNoPlacesOfEachOther() {
        for (int policy = 0; policy < 10; policy++) {
            pauseMany("p" + policy, 1_000, HOUR);
        }
        assertThat(read("").changes()).hasSize(10_000);

        assertThatThrownBy(() -> pause("another", "key", HOUR)).hasMessageContaining("TOOMANY");
        pause("p3", "further", HOUR);
        for (int policy = 0; policy < 10; policy++) {
            String name = "!p" + policy + " ";
            assertThat(read("").changes()).filteredOn(change -> change.name().startsWith(name)).hasSize(1_000);
        }
    }

    /** An instance keeps its own pause, which an operator ends on another one. */
    @Test
    void endOfAPauseThatHasLostItsPlaceIsAChange() {
        end("a", "never");
        assertThat(read("")).isNull();
        pause("a", "first", MINUTE);
        pauseMany("a", 1_000, HOUR);
        String known = read("").version();

        end("a", "first");
        assertThat(read(known).changes()).singleElement().returns("!a first", PauseChange::name).returns(Kind.ENDED,
                PauseChange::kind);

        known = read("").version();
        time.advance(MINUTE);
        end("a", "never");
        assertThat(read(known)).isNull();
    }

    @Test
    void onlyThePauseThatLastsIsEnded() {
        pause("a", "key", MINUTE);
        pause("a", "over", Duration.ofSeconds(1));
        time.advance(Duration.ofSeconds(2));

        for (String key : List.of("key", "over", "never")) {
            assertThat(pauses.endPause("a", "!a " + key).await().atMost(SOON)).isEqualTo(key.equals("key"));
        }
    }

    @Test
    void nothingIsLeftBehind() {
        pause("a", "key", MINUTE);
        pauseMany("b", 1_001, HOUR);
        for (String key : List.of("", ".changes", ":b")) {
            assertThat(REDIS.send(Command.PTTL, "test:{overrides}.pauses" + key).toLong())
                    .isBetween(1L, HOUR.toMillis() + 1_000);
        }
        assertThat(REDIS.send(Command.PTTL, "test:{overrides}.pauses:a").toLong()).isBetween(1L, MINUTE.toMillis() + 1_000);
        assertThat(REDIS.send(Command.LLEN, "test:{overrides}.pauses.changes").toInteger()).isEqualTo(1_000);
    }

    @Test
    void keysOfAnotherTypeAreRemoved() {
        for (String key : List.of("", ".changes", ":a")) {
            REDIS.send(Command.SET, "test:{overrides}.pauses" + key, "text");
        }
        pause("a", "key", MINUTE);
        assertThat(read("").changes()).hasSize(1);
    }

    /** Every instance reads after every change, twice a second: what has changed, however many pauses there are. */
    @Test
    void readingStaysBoundedWithTenThousandPauses() {
        for (int policy = 0; policy < 10; policy++) {
            pauseMany("p" + policy, 1_000, HOUR);
        }
        String known = read("").version();
        pause("p0", "one more", HOUR);

        assertThat(read(known).changes()).hasSize(2);
        long all = micros(() -> read("")), changes = micros(() -> read(known)),
                none = micros(() -> read(read(known).version()));
        System.out.printf("10 000 pauses: all %d us, changes %d us, none and changes %d us, a further pause %d us%n", all,
                changes,
                none, micros(() -> pause("p1", "further" + System.nanoTime(), HOUR)));
        assertThat(changes).isLessThan(all / 4);
    }

    private static long micros(Runnable read) {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 50; i++) {
            long began = System.nanoTime();
            read.run();
            least = Math.min(least, (System.nanoTime() - began) / 1_000);
        }
        return least;
    }

    private Duration pause(String policy, String key, Duration ttl) {
        return pauses.pause(policy, '!' + policy + ' ' + key, ttl).await().atMost(SOON);
    }

    private void pauseMany(String policy, int keys, Duration ttl) {
        Multi.createFrom().items(IntStream.range(0, keys).boxed())
                .onItem().transformToUni(key -> (Uni<Duration>) pauses.pause(policy, '!' + policy + " key" + key, ttl))
                .merge(100).collect().asList().await().atMost(SOON);
    }

    private void end(String policy, String key) {
        pauses.endPause(policy, '!' + policy + ' ' + key).await().atMost(SOON);
    }

    private PauseChanges read(String known) {
        return pauses.pausesSince(known, now.getAsLong()).await().atMost(SOON);
    }
}
