package io.quarkiverse.ratelimit.runtime.store.redis.topology;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.runtime.store.redis.topology.ClusterSender.ClusterRedirect;

/** Redirections of cluster nodes are parsed, also where they leave out their own host. */
class ClusterSenderRedirectionTest {

    @ParameterizedTest
    @CsvSource(value = {
            "MOVED 3999 127.0.0.1:6381 | 127.0.0.1:6381",
            "MOVED 3999 redis-2.redis:6379 | redis-2.redis:6379",
            "MOVED 3999 2001:db8::7:6381 | 2001:db8::7:6381",
            "MOVED 3999 :6381 | one.acme.com:6381",
            "MOVED 3999 ?:6381 | one.acme.com:6381" }, delimiter = '|')
    void movedSlotIsAtTheNamedAddress(String error, String address) {
        assertThat(ClusterRedirect.of(error, "one.acme.com:6380")).isEqualTo(new ClusterRedirect(true, 3999, address));
    }

    @Test
    void hostThatIsLeftOutIsThatOfTheRedirectingNode() {
        assertThat(ClusterRedirect.of("MOVED 1 :7", "::1:6")).isEqualTo(new ClusterRedirect(true, 1, "::1:7"));
    }

    @Test
    void slotThatIsAboutToMoveIsThereOnlyInPart() {
        assertThat(ClusterRedirect.of("ASK 16383 127.0.0.1:6381", "one:6")).isEqualTo(
                new ClusterRedirect(false, 16383, "127.0.0.1:6381"));
    }

    @ParameterizedTest
    @ValueSource(strings = { "TRYAGAIN Multiple keys request during rehashing of slot", "CLUSTERDOWN The cluster is down",
            "ERR" })
    void otherErrorsLeadNowhere(String error) {
        assertThat(ClusterRedirect.of(error, "one:6")).isNull();
    }
}
