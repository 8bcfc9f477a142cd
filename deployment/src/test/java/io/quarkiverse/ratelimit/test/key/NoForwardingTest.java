package io.quarkiverse.ratelimit.test.key;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.test.QuarkusUnitTest;

class NoForwardingTest {

    @RegisterExtension
    static final QuarkusUnitTest TEST = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(WhoResource.class, RawHttp.class))
            .overrideConfigKey("quarkus.redis.devservices.enabled", "false")
            .overrideConfigKey("quarkus.http.proxy.trusted-proxies", "127.0.0.1");

    @Test
    void callerIsTheConnectionsOtherEnd() {
        assertThat(RawHttp.get("127.0.0.1", "/who", "X-Forwarded-For: 203.0.113.7")).isEqualTo("127.0.0.1");
        assertThat(RawHttp.get("127.0.0.2", "/who/route", "X-Forwarded-For: 203.0.113.7")).isEqualTo("127.0.0.2");
    }

    @Test
    void forwardedRequestIsUncertain() {
        assertThat(RawHttp.get("127.0.0.1", "/who/stranger", "Forwarded: for=203.0.113.7")).isEqualTo("true");
    }
}
