package org.acme.quotes;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.inject.Inject;

import org.acme.ExampleProfile;
import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitAdmin;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;

/** The same resource and the same test, without Redis. */
@QuarkusTest
@TestProfile(WithoutServerTest.WithoutServer.class)
class WithoutServerTest extends QuoteResourceTest {

    @Inject
    RateLimiters limiters;

    @Inject
    RateLimitAdmin admin;

    @Test
    void resetRemovesOverridesAndDenials() {
        admin.policy("quotes").override(Limit.concurrency(1));
        assertThat(limiters.get("quotes").forKey("203.0.113.7").reserve(1).decision().source()).isEqualTo(Source.MEMORY);
        assertThat(limiters.get("quotes").forKey("203.0.113.7").reserve(1).decision().allowed()).isFalse();
        assertThat(admin.policy("quotes").mostDenied(1)).hasSize(1);

        limits.reset();

        assertThat(admin.policy("quotes").overrides()).isEmpty();
        assertThat(admin.policy("quotes").mostDenied(1)).isEmpty();
        assertThat(limiters.get("quotes").forKey("203.0.113.7").peek().remaining()).isEqualTo(3);
    }

    public static class WithoutServer extends ExampleProfile {
        public WithoutServer() {
            super("without-server.properties");
        }
    }
}
