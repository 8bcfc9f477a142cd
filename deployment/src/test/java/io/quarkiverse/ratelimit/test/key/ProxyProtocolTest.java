package io.quarkiverse.ratelimit.test.key;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.test.QuarkusUnitTest;

class ProxyProtocolTest {

    @RegisterExtension
    static final QuarkusUnitTest TEST = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(WhoResource.class, RawHttp.class))
            .overrideConfigKey("quarkus.redis.devservices.enabled", "false")
            .overrideConfigKey("quarkus.http.proxy.use-proxy-protocol", "true");

    @Test
    void callerIsTheOneThatTheProxyNames() {
        assertThat(RawHttp.exchange("127.0.0.1", "PROXY TCP4 203.0.113.7 127.0.0.1 5678 80\r\n", "/who"))
                .isEqualTo("203.0.113.7");
        assertThat(RawHttp.exchange("127.0.0.1", "PROXY TCP6 2001:db8:1:2::7 ::1 5678 80\r\n", "/who/route"))
                .isEqualTo("2001:db8:1:2::/64");
    }

    @Test
    void forwardingHeadersDoNotCount() {
        assertThat(RawHttp.exchange("127.0.0.1", "PROXY TCP4 203.0.113.7 127.0.0.1 5678 80\r\n", "/who",
                "X-Forwarded-For: 9.9.9.9")).isEqualTo("203.0.113.7");
    }
}
