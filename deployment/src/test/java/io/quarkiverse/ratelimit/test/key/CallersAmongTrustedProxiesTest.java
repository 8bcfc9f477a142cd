package io.quarkiverse.ratelimit.test.key;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Level;
import java.util.logging.Logger;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.jboss.shrinkwrap.api.asset.StringAsset;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkus.test.QuarkusUnitTest;
import io.quarkus.test.common.http.TestHTTPResource;

/** If every address is trusted, no caller can choose its address. A request without one causes one warning. */
@TestMethodOrder(OrderAnnotation.class)
class CallersAmongTrustedProxiesTest {

    @RegisterExtension
    static final QuarkusUnitTest TEST = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(WhoResource.class, RawHttp.class, Resource.class)
                    .addAsResource(new StringAsset("of a route"), "META-INF/resources/route.txt"))
            .withConfiguration("""
                    quarkus.http.proxy.proxy-address-forwarding=true
                    quarkus.http.proxy.trusted-proxies=0.0.0.0/1,128.0.0.0/1
                    quarkus.rate-limit.store=memory
                    quarkus.rate-limit.policies.five.permits=5
                    quarkus.rate-limit.policies.five.period=1h
                    quarkus.rate-limit.policies.five.key=ip
                    quarkus.rate-limit.policies.five.exempt-ips=10.9.0.0/16,127.0.0.0/8
                    quarkus.rate-limit.routes.five.paths=/route.txt
                    quarkus.rate-limit.routes.five.policy=five
                    quarkus.rate-limit.policies.two.permits=2
                    quarkus.rate-limit.policies.two.period=1h
                    quarkus.rate-limit.policies.two.key=ip
                    quarkus.rate-limit.routes.two.paths=/q/health/*
                    quarkus.rate-limit.routes.two.policy=two
                    """)
            .setLogRecordPredicate(record -> record.getLevel().intValue() >= Level.WARNING.intValue()
                    && record.getLoggerName().equals("io.quarkiverse.ratelimit"))
            .assertLogRecords(records -> assertThat(records).extracting(record -> record.getMessage()).satisfiesExactly(
                    atStart -> assertThat(atStart).contains("quarkus.http.proxy.trusted-proxies contains",
                            "exempt-ips does not apply", "Set trusted-proxies", "quarkus.rate-limit.proxy-hops"),
                    withoutHeader -> assertThat(withoutHeader).contains("X-Forwarded-For", "share one count")));

    @TestHTTPResource("/five")
    URI five;

    /**
     * A proxy requests the non-application root for itself, so it sends no address of a caller. First, as it warns only once.
     */
    @Test
    @Order(1)
    void healthCheckByAProxyCausesNoWarning() {
        List<String> warnings = new CopyOnWriteArrayList<>();
        Logger.getLogger("io.quarkiverse.ratelimit").setFilter(entry -> warnings.add(entry.getMessage()));

        given().get("/q/health").then().statusCode(404);
        given().get("/q/health/ready").then().statusCode(404);
        given().get("/q/health").then().statusCode(429);

        Logger.getLogger("io.quarkiverse.ratelimit").setFilter(null);
        assertThat(warnings).isEmpty();
    }

    @Test
    void addressesThatCallersMakeUpGiveThemNoFurtherCalls() {
        List<Integer> statuses = new ArrayList<>();
        for (int i = 1; i <= 12; i++) {
            statuses.add(RawHttp.status("/five", "X-Forwarded-For: 1.1.1." + i + ", 203.0.113.7"));
        }

        assertThat(statuses).startsWith(200, 200, 200, 200, 200).endsWith(429, 429, 429, 429, 429, 429, 429);
    }

    @Test
    void addressesThatCallersMakeUpGiveThemNoFurtherCallsOfARoute() {
        List<Integer> statuses = new ArrayList<>();
        for (int i = 1; i <= 12; i++) {
            statuses.add(RawHttp.status("/route.txt", "X-Forwarded-For: 1.1.1." + i, "X-Forwarded-For: 203.0.113.8"));
        }

        assertThat(statuses).startsWith(200, 200, 200, 200, 200).endsWith(429, 429, 429, 429, 429, 429, 429);
    }

    @Test
    void addressesThatCallersMakeUpGiveThemNoFurtherCallsOverHttp2() throws IOException, InterruptedException {
        HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_2).build();
        List<Integer> statuses = new ArrayList<>();
        for (int i = 1; i <= 12; i++) {
            statuses.add(client.send(HttpRequest.newBuilder(five).header("X-Forwarded-For", "1.1.1." + i)
                    .header("X-Forwarded-For", "203.0.113.9").build(), BodyHandlers.discarding()).statusCode());
        }

        assertThat(statuses).startsWith(200, 200, 200, 200, 200).endsWith(429, 429, 429, 429, 429, 429, 429);
    }

    @Test
    void noAddressIsExempt() {
        List<Integer> statuses = new ArrayList<>();
        for (int i = 1; i <= 6; i++) {
            statuses.add(RawHttp.status("/five", "X-Forwarded-For: 10.9.1.1, 203.0.113.10"));
        }

        assertThat(statuses).endsWith(200, 429);
        assertThat(RawHttp.get("127.0.0.1", "/who/stranger", "X-Forwarded-For: 10.9.1.1")).isEqualTo("true");
        assertThat(RawHttp.get("127.0.0.1", "/who/stranger")).isEqualTo("true");
    }

    @Test
    void rightMostAddressIsTheCaller() {
        assertThat(RawHttp.get("127.0.0.1", "/who", "X-Forwarded-For: 1.1.1.1, 203.0.113.7")).isEqualTo("203.0.113.7");
        assertThat(RawHttp.get("127.0.0.1", "/who/route", "X-Forwarded-For: 1.1.1.1, 10.0.0.1")).isEqualTo("10.0.0.1");
        assertThat(RawHttp.get("127.0.0.1", "/who")).isEqualTo("127.0.0.1");
    }

    @Path("/five")
    public static class Resource {
        @GET
        @RateLimited("five")
        public String five() {
            return "five";
        }
    }
}
