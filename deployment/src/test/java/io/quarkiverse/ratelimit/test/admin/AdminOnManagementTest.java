package io.quarkiverse.ratelimit.test.admin;

import static io.restassured.RestAssured.get;
import static io.restassured.RestAssured.given;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.equalTo;

import java.io.IOException;
import java.net.Socket;
import java.net.URI;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.test.admin.fixtures.Administered;
import io.quarkus.test.QuarkusUnitTest;
import io.quarkus.test.common.http.TestHTTPResource;
import io.restassured.http.ContentType;

/** Administration on the management interface, where no roles are required. */
class AdminOnManagementTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Administered.class))
            .withConfiguration(Administered.POLICIES + """
                    quarkus.rate-limit.policies.addresses.permits=1
                    quarkus.rate-limit.policies.addresses.period=1h
                    quarkus.rate-limit.policies.addresses.key=ip
                    quarkus.rate-limit.policies.addresses.exempt-keys=198.51.100.0/24,2001:db8::7
                    quarkus.management.enabled=true
                    quarkus.management.test-port=0
                    quarkus.management.root-path=/ops
                    quarkus.rate-limit.admin.hosts=shop.internal, ops.internal
                    """);

    @TestHTTPResource(value = "/rate-limit", management = true)
    String root;

    @Test
    void limitsAreAdministeredWithoutRoles() {
        given().contentType(ContentType.JSON).body("{\"permits\": 20}").put(root + "/policies/users/keys/alice/override").then()
                .statusCode(204);
        get(root + "/policies/users/keys/alice").then().statusCode(200).body("remaining", equalTo(20));
        given().delete(root + "/policies/users/keys/alice/override").then().statusCode(204);
        get(root).then().statusCode(200).contentType("text/html;charset=UTF-8");
    }

    @ParameterizedTest
    @ValueSource(strings = { "198.51.100.9", "2001:db8::9" })
    void exemptAddressIsNotLimitedWhileItIsBlocked(String address) {
        String path = root + "/policies/addresses/keys/" + address;
        given().contentType(ContentType.JSON).body("{\"duration\": \"1h\"}").put(path + "/block").then().statusCode(204);

        get(path).then().statusCode(200).body("source", equalTo("not-limited")).body("allowed", equalTo(true));
        get(root + "/policies/addresses/keys/203.0.113.9").then().body("source", equalTo("redis"));
        given().delete(path + "/block").then().statusCode(204);
    }

    @Test
    void interfaceOfTheApplicationDoesNotServeIt() {
        assertThat(get("/q/rate-limit").statusCode()).isEqualTo(404);
        assertThat(get("/q/rate-limit/policies").statusCode()).isEqualTo(404);
        assertThat(get("/ops/rate-limit/policies").statusCode()).isEqualTo(404);
    }

    /** The management interface allows all origins. */
    @Test
    void pagesOfOtherOriginsHaveNoAccess() {
        given().header("Origin", "https://evil.example").get(root + "/policies").then().statusCode(403);
        given().header("Origin", "https://evil.example").delete(root + "/policies/users/keys/alice").then().statusCode(403);
    }

    /** The browser takes the interface for a part of a site whose name resolves to it. */
    @ParameterizedTest
    @ValueSource(strings = { "evil.example", "evil.example:9000", "localhost.evil.example", "127.0.0.1.evil.example", "127.1",
            "[evil.example]", "[evil]:9000" })
    void sitesWhoseNameResolvesToTheInterfaceHaveNoAccess(String host) throws IOException {
        assertThat(statusOf("GET", "/policies", host)).isEqualTo(403);
        assertThat(statusOf("GET", "/", host)).isEqualTo(403);
        assertThat(statusOf("DELETE", "/policies/users/keys/alice", host)).isEqualTo(403);
    }

    @ParameterizedTest
    @ValueSource(strings = { "[evil.example", "[::1].evil.example", "[::1", "[]" })
    void malformedHostsHaveNoAccess(String host) throws IOException {
        assertThat(statusOf("GET", "/policies", host)).isIn(400, 403);
    }

    @ParameterizedTest
    @ValueSource(strings = { "localhost", "LOCALHOST:9000", "192.0.2.1", "192.0.2.1:9000", "[::1]", "[2001:db8::1]:9000",
            "ops.internal", "OPS.internal:9000" })
    void addressesLocalhostAndConfiguredNamesHaveAccess(String host) throws IOException {
        assertThat(statusOf("GET", "/policies", host)).isEqualTo(200);
    }

    /** Of a request as the page of a site with this host sends it. */
    private int statusOf(String method, String path, String host) throws IOException {
        URI uri = URI.create(root + path);
        try (Socket socket = new Socket(uri.getHost(), uri.getPort())) {
            socket.setSoTimeout(20_000);
            socket.getOutputStream().write((method + ' ' + uri.getPath() + " HTTP/1.1\r\nHost: " + host + "\r\nOrigin: http://"
                    + host + "\r\nConnection: close\r\n\r\n").getBytes(ISO_8859_1));
            return Integer.parseInt(new String(socket.getInputStream().readAllBytes(), ISO_8859_1).substring(9, 12));
        }
    }

    @Test
    void largeBodiesAreNotParsed() {
        given().contentType(ContentType.JSON).body("{\"duration\": \"" + "9".repeat(1024 * 1024) + "\"}")
                .put(root + "/policies/users/override").then().statusCode(413);
    }
}
