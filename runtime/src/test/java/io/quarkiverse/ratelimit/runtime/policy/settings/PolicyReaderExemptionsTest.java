package io.quarkiverse.ratelimit.runtime.policy.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.Statuses;
import io.quarkiverse.ratelimit.runtime.policy.settings.fixtures.Configured;

class PolicyReaderExemptionsTest {

    private static final String API = "quarkus.rate-limit.policies.api.";

    @ParameterizedTest
    @ValueSource(strings = { "10.0.0.0/33", "10.0.0.1/-1", "10.0.0/8", "example.org", "2001:db8::/129", "10.0.0.0/8/8",
            "[::1]", "10.0.0.0/", "/8", "localhost", "::ffff:0:0/96", "64:ff9b::/96", "64:ff9b::203.0.113.0/120",
            "64:ff9b:1:cb00::/64" })
    void whatIsNoBlockIsReported(String block) {
        assertThat(api("exempt-ips=192.0.2.1," + block).mistakes()).containsExactly(API + "exempt-ips=192.0.2.1," + block
                + " has \"" + block + "\", which is no block of addresses. Write it like 10.0.0.0/8, 2001:db8::/32 or"
                + " 192.0.2.1.");
    }

    @Test
    void blocksAndSingleAddressesAreRead() {
        Policy policy = api("exempt-ips=10.0.0.0/8, 2001:db8::/32,192.0.2.1,::1,64:ff9b::192.0.2.3",
                "exempt-roles=admin, robot").read()
                .policies().get("api");

        assertThat(policy.exempt().blocks()).extracting(Object::toString).hasSize(5);
        assertThat(policy.exempt().blocks().get(0).matches(new byte[] { 10, 1, 2, 3 })).isTrue();
        assertThat(policy.exempt().blocks().get(2).matches(new byte[] { (byte) 192, 0, 2, 1 })).isTrue();
        assertThat(policy.exempt().blocks().get(2).matches(new byte[] { (byte) 192, 0, 2, 2 })).isFalse();
        assertThat(policy.exempt().blocks().get(4).matches(new byte[] { (byte) 192, 0, 2, 3 })).isTrue();
        assertThat(policy.exempt().roles()).containsExactly("admin", "robot");
    }

    @ParameterizedTest
    @ValueSource(strings = { "600", "99", "4", "40x", "ok", "401;403", "-401", "!", "!6xx", "!!401", "!401!403", "not 401",
            "401,!", "! 2xx", "!2xx,! 304", "!\t304" })
    void whatIsNoStatusIsReported(String statuses) {
        assertThat(api("count-when=" + statuses).mistakes()).containsExactly(API + "count-when=" + statuses
                + " must be statuses from 100 to 599 or classes of them, comma-separated, like 401,403 or 5xx; ! excludes,"
                + " without a blank after it, as in !2xx,!304.");
    }

    @Test
    void statusesAreRead() {
        Policy policy = api("count-when=401, 403,5xx").read().policies().get("api");

        assertThat(List.of(401, 403, 500, 599)).allMatch(policy.countWhen()::contain);
        assertThat(List.of(200, 400, 402, 404, 499)).noneMatch(policy.countWhen()::contain);
        assertThat(api().read().policies().get("api").countWhen().areRestricted()).isFalse();
    }

    @Test
    void excludedStatusesDoNotCountAndAllOthersDo() {
        Statuses countWhen = api("count-when=!2xx, !304").read().policies().get("api").countWhen();

        assertThat(List.of(100, 199, 300, 303, 305, 401, 500, 599, 600, 999)).allMatch(countWhen::contain);
        assertThat(List.of(200, 204, 299, 304)).noneMatch(countWhen::contain);
        assertThat(countWhen.areRestricted()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = { "4xx,!404", "!404,4xx", "5xx,!404,4XX,!500" })
    void excludedStatusIsLeftOutOfTheClassThatContainsIt(String statuses) {
        Statuses countWhen = api("count-when=" + statuses).read().policies().get("api").countWhen();

        assertThat(List.of(400, 403, 405, 499)).allMatch(countWhen::contain);
        assertThat(List.of(200, 302, 404)).noneMatch(countWhen::contain);
    }

    @ParameterizedTest
    @ValueSource(strings = { "401,!401", "401,!4xx,4xx", "!1xx,!2xx,!3xx,!4xx,!5xx" })
    void exclusionOfEveryStatusIsReported(String statuses) {
        assertThat(api("count-when=" + statuses).mistakes()).containsExactly(API + "count-when=" + statuses
                + " excludes every status, so no call would count. Remove a status with !, or use enabled=false.");
    }

    private static Configured api(String... lines) {
        String[] all = new String[lines.length + 3];
        all[0] = API + "permits=5";
        all[1] = API + "period=1m";
        all[2] = API + "key=ip";
        for (int i = 0; i < lines.length; i++) {
            all[3 + i] = API + lines[i];
        }
        return Configured.with(all);
    }
}
