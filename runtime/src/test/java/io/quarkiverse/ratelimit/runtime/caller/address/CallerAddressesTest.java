package io.quarkiverse.ratelimit.runtime.caller.address;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.quarkus.vertx.http.runtime.VertxHttpConfig;
import io.smallrye.config.SmallRyeConfigBuilder;
import io.vertx.core.net.SocketAddress;
import io.vertx.core.net.impl.SocketAddressImpl;

class CallerAddressesTest {

    private static final AddressForm FORM = new AddressForm(64);
    private static final Predicate<String> NO_PATH = path -> false;

    @Test
    void otherEndOfATcpConnectionHasAnAddress() throws UnknownHostException {
        InetAddress named = InetAddress.getByAddress("client.internal", new byte[] { 10, 0, 0, 1 });

        assertThat(CallerAddresses.peer(SocketAddress.inetSocketAddress(80, "10.0.0.1"))).containsExactly(10, 0, 0, 1);
        assertThat(CallerAddresses.peer(new SocketAddressImpl(new InetSocketAddress(named, 80))))
                .containsExactly(10, 0, 0, 1);
        assertThat(CallerAddresses.peer(SocketAddress.inetSocketAddress(80, "2001:db8::1"))).hasSize(16);
    }

    @Test
    void otherEndOfADomainSocketHasNone() {
        assertThat(CallerAddresses.peer(SocketAddress.domainSocketAddress("/run/app.sock"))).isNull();
        assertThat(CallerAddresses.peer(null)).isNull();
    }

    @Test
    void hostNamesAreNotLookedUp() {
        assertThat(CallerAddresses.peer(SocketAddress.inetSocketAddress(80, "localhost"))).isNull();
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', nullValues = "-", value = {
            "proxy-address-forwarding ; -                     ; proxy-address-forwarding is on, but no proxy is trusted",
            "proxy-address-forwarding ; 0.0.0.0/0             ; trusted-proxies contains so many addresses",
            "proxy-address-forwarding ; ::/1,8000::/1         ; trusted-proxies contains so many addresses",
            "domain-socket-enabled    ; -                     ; domain-socket-enabled is on"
    })
    void configurationThatMakesAddressesUncertainIsAWarning(String property, String trustedProxies, String warning) {
        VertxHttpConfig http = http(property);
        List<String> trusted = trustedProxies == null ? List.of() : List.of(trustedProxies.split(","));

        assertThat(new CallerAddresses(http, trusted, null, 0, FORM, NO_PATH).warnings()).singleElement().asString().contains(
                warning,
                "quarkus.rate-limit.proxy-hops");
        assertThat(new CallerAddresses(http, trusted, null, 1, FORM, NO_PATH).warnings()).isEmpty();
    }

    @Test
    void warningOfForwardingSaysWhatToSet() {
        assertThat(new CallerAddresses(http("proxy-address-forwarding"), List.of(), null, 0, FORM, NO_PATH).warnings())
                .singleElement().asString().contains("Set quarkus.http.proxy.trusted-proxies");
    }

    @Test
    void configurationOfProxiesIsNoWarning() {
        assertThat(
                new CallerAddresses(http("proxy-address-forwarding"), List.of("10.0.0.0/8"), null, 0, FORM, NO_PATH).warnings())
                .isEmpty();
        assertThat(new CallerAddresses(http("use-proxy-protocol"), List.of("0.0.0.0/0"), null, 0, FORM, NO_PATH).warnings())
                .isEmpty();
    }

    /** The configuration of Quarkus with a property that is on. */
    private static VertxHttpConfig http(String property) {
        String name = property.startsWith("domain") ? "quarkus.http." + property : "quarkus.http.proxy." + property;
        return new SmallRyeConfigBuilder().addDefaultInterceptors().addDiscoveredConverters().withDefaultValues(
                Map.of(name, "true", "quarkus.http.host", "localhost", "java.io.tmpdir", "target"))
                .withMapping(VertxHttpConfig.class).build().getConfigMapping(VertxHttpConfig.class);
    }
}
