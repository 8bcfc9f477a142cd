package io.quarkiverse.ratelimit.runtime.engine.limits;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.runtime.engine.call.Charge;
import io.quarkiverse.ratelimit.runtime.policy.settings.Settings;
import io.quarkiverse.ratelimit.runtime.policy.settings.fixtures.Configured;

/** Rules of requests that match several routes. */
class RuleRegistryTest {

    private static final String POLICIES = "quarkus.rate-limit.policies.", ROUTES = "quarkus.rate-limit.routes.";

    @Test
    void eachRouteKeepsItsWholeChain() {
        Settings settings = routes("left.overflow=both", "right.overflow=both", "both.overflow=last");
        CallRules rules = new RuleRegistry(List.of(), settings).rules(settings.routes());

        assertThat(names(rules.charges())).containsExactly("left", "right");
        assertThat(names(rules.overflows().get("left"))).containsExactly("both", "last");
        assertThat(names(rules.overflows().get("right"))).containsExactly("both", "last");
    }

    @Test
    void routesMeetInAPolicyOfTheirChains() {
        assertThat(meet()).isFalse();
        assertThat(meet("left.overflow=both", "right.overflow=last")).isFalse();
        assertThat(meet("left.overflow=both", "right.overflow=both")).isTrue();
        assertThat(meet("left.overflow=both", "both.overflow=right")).isTrue();
        assertThat(meet("both.overflow=last")).isFalse();
    }

    private static boolean meet(String... overflows) {
        return new RuleRegistry(List.of(), routes(overflows)).routesMeet();
    }

    /** Two routes with the policy left, and one with the policy right. */
    private static Settings routes(String... overflows) {
        List<String> lines = new ArrayList<>();
        for (String policy : List.of("left", "right", "both", "last")) {
            lines.addAll(List.of(POLICIES + policy + ".permits=5", POLICIES + policy + ".period=1m",
                    POLICIES + policy + ".key=ip"));
        }
        for (String overflow : overflows) {
            lines.add(POLICIES + overflow);
        }
        lines.addAll(List.of(ROUTES + "a.paths=/a", ROUTES + "a.policy=left", ROUTES + "b.paths=/b", ROUTES + "b.policy=left",
                ROUTES + "c.paths=/*", ROUTES + "c.policy=right"));
        return Configured.with(lines.toArray(String[]::new)).read();
    }

    private static List<String> names(List<Charge> charges) {
        return charges.stream().map(charge -> charge.policy().name()).toList();
    }
}
