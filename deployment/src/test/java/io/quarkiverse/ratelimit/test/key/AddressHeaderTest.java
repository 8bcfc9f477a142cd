package io.quarkiverse.ratelimit.test.key;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Level;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkus.test.QuarkusUnitTest;
import io.quarkus.test.common.http.TestHTTPResource;

/** Behind a trusted proxy that sends the address of its caller in a header of its own. */
class AddressHeaderTest {

    @RegisterExtension
    static final QuarkusUnitTest TEST = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(WhoResource.class, RawHttp.class, Resource.class))
            .withConfiguration("""
                    quarkus.http.proxy.trusted-proxies=127.0.0.1
                    quarkus.rate-limit.address-header=CF-Connecting-IP
                    quarkus.rate-limit.store=memory
                    quarkus.rate-limit.policies.two.permits=2
                    quarkus.rate-limit.policies.two.period=1h
                    quarkus.rate-limit.policies.two.key=ip
                    quarkus.rate-limit.policies.two.exempt-ips=10.9.0.0/16,127.0.0.0/8
                    """)
            .setLogRecordPredicate(record -> record.getLevel().intValue() >= Level.WARNING.intValue()
                    && record.getLoggerName().equals("io.quarkiverse.ratelimit"))
            .assertLogRecords(records -> assertThat(records).hasSizeLessThanOrEqualTo(1)
                    .allSatisfy(record -> assertThat(record.getMessage()).contains("CF-Connecting-IP", "share one count")));

    @TestHTTPResource("/who")
    URI who;

    @Test
    void addressInTheHeaderIsTheCaller() {
        assertThat(who("CF-Connecting-IP: 203.0.113.7")).isEqualTo("203.0.113.7");
        assertThat(who("cf-connecting-ip: 203.0.113.7:65535")).isEqualTo("203.0.113.7");
        assertThat(who("CF-Connecting-IP: 2001:DB8:1:2:3:4:5:6")).isEqualTo("2001:db8:1:2::/64");
        assertThat(who("CF-Connecting-IP: [2001:db8:1:2::7]:443")).isEqualTo("2001:db8:1:2::/64");
        assertThat(who("CF-Connecting-IP: 64:ff9b::203.0.113.7")).isEqualTo("203.0.113.7");
        assertThat(who("CF-Connecting-IP: 203.0.113.7", "X-Forwarded-For: 9.9.9.9", "Forwarded: for=8.8.8.8"))
                .isEqualTo("203.0.113.7");
        assertThat(RawHttp.get("127.0.0.1", "/who/route", "CF-Connecting-IP: 203.0.113.7")).isEqualTo("203.0.113.7");
    }

    @Test
    void whatIsNoSingleAddressIsMissing() {
        for (String value : List.of("203.0.113.7, 198.51.100.1", "unknown", "", "203.0.113.7:65536", "\"203.0.113.7\"",
                "203.0.113.07", "fe80::1%eth0", "[fe80::1%25eth0]:80")) {
            assertThat(who("CF-Connecting-IP: " + value, "X-Forwarded-For: 203.0.113.7")).as(value).isEqualTo("null");
        }
        assertThat(who("CF-Connecting-IP: 203.0.113.7", "CF-Connecting-IP: 203.0.113.7")).as("two fields").isEqualTo("null");
        assertThat(who("X-Forwarded-For: 203.0.113.7")).isEqualTo("null");
        assertThat(who()).isEqualTo("null");
        assertThat(RawHttp.get("127.0.0.1", "/who/stranger")).isEqualTo("true");
    }

    @Test
    void secondFieldIsMissingOverHttp2() throws IOException, InterruptedException {
        HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_2).build();
        HttpRequest.Builder request = HttpRequest.newBuilder(who).header("CF-Connecting-IP", "203.0.113.7");
        // only the first request of a connection is one of HTTP/1.1, with an upgrade
        client.send(request.build(), BodyHandlers.discarding());
        HttpResponse<String> one = client.send(request.build(), BodyHandlers.ofString());
        HttpResponse<String> two = client.send(request.header("CF-Connecting-IP", "203.0.113.7").build(),
                BodyHandlers.ofString());

        assertThat(two.version()).isEqualTo(HttpClient.Version.HTTP_2);
        assertThat(List.of(one.body(), two.body())).containsExactly("203.0.113.7", "null");
    }

    @Test
    void callerThatIsNoProxyCannotChooseItsAddress() {
        assertThat(RawHttp.get("127.0.0.2", "/who", "CF-Connecting-IP: 203.0.113.7")).isEqualTo("127.0.0.2");
        assertThat(RawHttp.get("127.0.0.2", "/who")).isEqualTo("127.0.0.2");
        assertThat(RawHttp.get("127.0.0.2", "/who/stranger")).isEqualTo("false");
        assertThat(RawHttp.get("127.0.0.2", "/who/stranger", "CF-Connecting-IP: 203.0.113.7"))
                .as("may be a proxy that is not configured").isEqualTo("true");
    }

    @Test
    void callersCountByTheHeader() {
        assertThat(statuses("CF-Connecting-IP: 2001:db8:1:2::%d", "X-Forwarded-For: 1.1.1.%d")).containsExactly(200, 200, 429);
        assertThat(statuses("CF-Connecting-IP: 203.0.113.%d")).containsExactly(200, 200, 200);
    }

    @Test
    void exemptAddressOfTheHeaderIsNotLimited() {
        assertThat(statuses("CF-Connecting-IP: 10.9.1.1")).containsExactly(200, 200, 200);
        assertThat(statuses("CF-Connecting-IP: 203.0.113.77", "X-Forwarded-For: 10.9.1.1")).containsExactly(200, 200, 429);
    }

    private static String who(String... headers) {
        return RawHttp.get("127.0.0.1", "/who", headers);
    }

    /** The statuses of three requests, whose number replaces {@code %d}. */
    private static List<Integer> statuses(String... headers) {
        List<Integer> statuses = new ArrayList<>();
        for (int i = 1; i <= 3; i++) {
            String number = String.valueOf(i);
            statuses.add(RawHttp.status("/two",
                    List.of(headers).stream().map(header -> header.replace("%d", number)).toArray(String[]::new)));
        }
        return statuses;
    }

    @Path("/two")
    public static class Resource {
        @GET
        @RateLimited("two")
        public String two() {
            return "two";
        }
    }
}
