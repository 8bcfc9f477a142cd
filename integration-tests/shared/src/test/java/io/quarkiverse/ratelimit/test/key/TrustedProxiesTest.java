package io.quarkiverse.ratelimit.test.key;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.test.fixtures.Profiles;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;

@QuarkusTest
@TestProfile(Profiles.Deployed.class)
class TrustedProxiesTest {

    @TestHTTPResource("/who")
    URI who;

    @Test
    void rightMostAddressThatIsNoProxyIsTheCaller() {
        String header = "X-Forwarded-For: 9.9.9.9, 203.0.113.7, 10.0.0.2";

        assertThat(RawHttp.get("127.0.0.1", "/who", header)).isEqualTo("203.0.113.7");
        assertThat(RawHttp.get("127.0.0.1", "/who/route", header)).isEqualTo("203.0.113.7");
        assertThat(RawHttp.get("127.0.0.1", "/who/quarkus", header)).isEqualTo("9.9.9.9");
    }

    @Test
    void linesCountAsOneList() {
        assertThat(RawHttp.get("127.0.0.1", "/who", "X-Forwarded-For: 9.9.9.9", "x-forwarded-for: 203.0.113.7"))
                .isEqualTo("203.0.113.7");
    }

    @Test
    void ipv6CallersCountPerPrefix() {
        assertThat(RawHttp.get("127.0.0.1", "/who", "X-Forwarded-For: [2001:DB8:1:2::7]:443")).isEqualTo("2001:db8:1:2::/64");
    }

    @Test
    void untrustedSendersForwardNothing() {
        assertThat(RawHttp.get("127.0.0.2", "/who", "X-Forwarded-For: 203.0.113.7")).isEqualTo("127.0.0.2");
        assertThat(RawHttp.get("127.0.0.2", "/who/route", "X-Forwarded-For: 203.0.113.7")).isEqualTo("127.0.0.2");
    }

    @Test
    void quarkusVouchesForAProxyNamedByItsHostName() {
        assertThat(RawHttp.get("127.0.0.1", "/who/by-host-name", "X-Forwarded-For: 9.9.9.9, 203.0.113.7"))
                .isEqualTo("203.0.113.7");
        assertThat(RawHttp.get("127.0.0.1", "/who/route/by-host-name", "X-Forwarded-For: 203.0.113.7"))
                .isEqualTo("203.0.113.7");
    }

    @Test
    void peerForWhomQuarkusDoesNotVouchIsTheCaller() {
        assertThat(RawHttp.get("127.0.0.2", "/who/by-host-name", "X-Forwarded-For: 203.0.113.7")).isEqualTo("127.0.0.2");
        assertThat(RawHttp.get("127.0.0.2", "/who/route/by-host-name", "X-Forwarded-For: 203.0.113.7"))
                .isEqualTo("127.0.0.2");
    }

    @Test
    void whatIsNoAddressIsUnknown() {
        assertThat(RawHttp.get("127.0.0.1", "/who", "X-Forwarded-For: 203.0.113.7, unknown")).isEqualTo("null");
    }

    @Test
    void standardHeaderIsNotAllowedByDefault() {
        assertThat(RawHttp.get("127.0.0.1", "/who", "Forwarded: for=203.0.113.7")).isEqualTo("127.0.0.1");
    }

    @Test
    void firstOfSeveralHeadersCounts() {
        assertThat(RawHttp.get("127.0.0.1", "/who/header", "X-Api-Key: a", "x-api-key: b")).isEqualTo("a");
    }

    @Test
    void http2IsNoDifferent() throws IOException, InterruptedException {
        HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_2).build();

        HttpResponse<String> first = send(client);
        HttpResponse<String> second = send(client);

        assertThat(second.version()).isEqualTo(HttpClient.Version.HTTP_2);
        assertThat(first.body()).isEqualTo("203.0.113.7");
        assertThat(second.body()).isEqualTo("203.0.113.7");
    }

    private HttpResponse<String> send(HttpClient client) throws IOException, InterruptedException {
        return client.send(HttpRequest.newBuilder(who).header("X-Forwarded-For", "9.9.9.9")
                .header("X-Forwarded-For", "203.0.113.7").build(), BodyHandlers.ofString());
    }
}
