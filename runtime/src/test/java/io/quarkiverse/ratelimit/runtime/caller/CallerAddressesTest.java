package io.quarkiverse.ratelimit.runtime.caller;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

import org.junit.jupiter.api.Test;

import io.vertx.core.net.SocketAddress;
import io.vertx.core.net.impl.SocketAddressImpl;

class CallerAddressesTest {

    @Test
    void otherEndOfATcpConnectionHasAnAddress() throws UnknownHostException {
        InetAddress named = InetAddress.getByAddress("client.internal", new byte[] { 10, 0, 0, 1 });

        assertThat(CallerAddresses.peer(SocketAddress.inetSocketAddress(80, "10.0.0.1")).address()).containsExactly(10, 0, 0,
                1);
        assertThat(CallerAddresses.peer(new SocketAddressImpl(new InetSocketAddress(named, 80))).address())
                .containsExactly(10, 0, 0, 1);
        assertThat(CallerAddresses.peer(SocketAddress.inetSocketAddress(80, "2001:db8::1")).address()).hasSize(16);
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
}
