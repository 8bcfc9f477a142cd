package io.quarkiverse.ratelimit.test.key;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.test.QuarkusUnitTest;

class ForwardingWithoutTrustedProxiesTest {

    @RegisterExtension
    static final QuarkusUnitTest TEST = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(WhoResource.class, RawHttp.class))
            .overrideConfigKey("quarkus.redis.devservices.enabled", "false")
            .overrideConfigKey("quarkus.http.proxy.proxy-address-forwarding", "true");

    @Test
    void callerIsTheConnectionsOtherEnd() {
        assertThat(RawHttp.get("127.0.0.2", "/who", "X-Forwarded-For: 203.0.113.7")).isEqualTo("127.0.0.2");
        assertThat(RawHttp.get("127.0.0.2", "/who/quarkus", "X-Forwarded-For: 203.0.113.7")).isEqualTo("203.0.113.7");
    }

    @Test
    void forwardedRequestIsUncertain() {
        assertThat(RawHttp.get("127.0.0.1", "/who/stranger", "X-Forwarded-For: 203.0.113.7")).isEqualTo("true");
        assertThat(RawHttp.get("127.0.0.1", "/who/stranger")).isEqualTo("false");
    }
}
