package io.quarkiverse.ratelimit.test.key;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.test.QuarkusUnitTest;

class StandardForwardedHeaderTest {

    @RegisterExtension
    static final QuarkusUnitTest TEST = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(WhoResource.class, RawHttp.class))
            .overrideConfigKey("quarkus.redis.devservices.enabled", "false")
            .overrideConfigKey("quarkus.http.proxy.proxy-address-forwarding", "true")
            .overrideConfigKey("quarkus.http.proxy.allow-forwarded", "true")
            .overrideConfigKey("quarkus.http.proxy.trusted-proxies", "127.0.0.1");

    @Test
    void standardHeaderNamesTheCaller() {
        assertThat(RawHttp.get("127.0.0.1", "/who", "Forwarded: for=9.9.9.9, for=\"203.0.113.7:80\";proto=https"))
                .isEqualTo("203.0.113.7");
        assertThat(RawHttp.get("127.0.0.1", "/who/route", "Forwarded: for=\"[2001:db8:1:2::7]:80\""))
                .isEqualTo("2001:db8:1:2::/64");
    }

    @Test
    void otherHeaderIsNotAllowedBesides() {
        assertThat(RawHttp.get("127.0.0.1", "/who", "X-Forwarded-For: 203.0.113.7")).isEqualTo("127.0.0.1");
    }
}
