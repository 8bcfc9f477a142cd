package io.quarkiverse.ratelimit.test.admin;

import static io.restassured.RestAssured.get;
import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.equalTo;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.test.QuarkusUnitTest;
import io.quarkus.test.common.http.TestHTTPResource;
import io.restassured.http.ContentType;

/** Administration on the management interface, where no roles are required. */
class AdminOnManagementTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Administered.class))
            .withConfiguration(Administered.POLICIES + """
                    quarkus.management.enabled=true
                    quarkus.management.test-port=0
                    quarkus.management.root-path=/ops
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

    @Test
    void largeBodiesAreNotParsed() {
        given().contentType(ContentType.JSON).body("{\"duration\": \"" + "9".repeat(1024 * 1024) + "\"}")
                .put(root + "/policies/users/override").then().statusCode(413);
    }
}
