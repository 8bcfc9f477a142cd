package io.quarkiverse.ratelimit.test.admin;

import static io.restassured.RestAssured.given;
import static org.hamcrest.Matchers.containsString;

import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.quarkiverse.ratelimit.test.admin.fixtures.Administered;
import io.quarkus.test.QuarkusUnitTest;
import io.quarkus.test.common.http.TestHTTPResource;

/**
 * Administration on a management interface where Quarkus takes the host from headers, and where a profile
 * removes the roles.
 */
class AdminBehindProxyTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Administered.class))
            .withConfiguration(Administered.POLICIES + """
                    quarkus.rate-limit.admin.roles-allowed=operator
                    %test.quarkus.rate-limit.admin.roles-allowed=
                    quarkus.management.enabled=true
                    quarkus.management.test-port=0
                    quarkus.management.proxy.proxy-address-forwarding=true
                    quarkus.management.proxy.trusted-proxies=127.0.0.1,::1
                    quarkus.management.proxy.allow-forwarded=true
                    quarkus.management.proxy.allow-x-forwarded=true
                    quarkus.management.proxy.enable-forwarded-host=true
                    quarkus.management.proxy.forwarded-host-header=X-Original-Host
                    """);

    @TestHTTPResource(value = "/rate-limit", management = true)
    String root;

    /** The browser takes the interface for a part of a site whose name resolves to it, and lets that site set headers. */
    @ParameterizedTest
    @CsvSource({ "X-Original-Host, localhost", "x-original-host, 127.0.0.1", "Forwarded, host=localhost",
            "forwarded, 'for=192.0.2.1;host=\"[::1]:9000\"'" })
    void headersDoNotReplaceTheHost(String header, String value) {
        given().header("Host", "evil.example").header(header, value).get(root + "/policies").then().statusCode(403)
                .body("detail", containsString("quarkus.rate-limit.admin.roles-allowed"));
        given().header("Host", "evil.example").header("X-Forwarded-For", "192.0.2.1").header(header, value)
                .delete(root + "/policies/users/keys/alice").then().statusCode(403);
        given().header("Host", "evil.example").header(header, value).get(root + "/").then().statusCode(403);
    }

    @ParameterizedTest
    @CsvSource({ "localhost, X-Forwarded-For, 192.0.2.1, 200", "localhost, X-Forwarded-Host, other.example, 200",
            "evil.example, X-Forwarded-For, 192.0.2.1, 403", "evil.example, X-Forwarded-Host, localhost, 403" })
    void requestsWithoutSuchHeadersAreCheckedByTheirHost(String host, String header, String value, int status) {
        given().header("Host", host).header(header, value).get(root + "/policies").then().statusCode(status);
    }
}
