package io.quarkiverse.ratelimit.test.routes;

import static io.restassured.RestAssured.given;

import java.nio.charset.StandardCharsets;
import java.util.Base64;

import jakarta.enterprise.context.ApplicationScoped;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.spi.RateLimitCall;
import io.quarkiverse.ratelimit.spi.RateLimitKeyResolver;
import io.quarkiverse.ratelimit.test.fixtures.Profiles;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import io.smallrye.common.annotation.Identifier;
import io.smallrye.mutiny.Uni;

/** Routes limit the logins that Quarkus itself serves: forms, and basic authentication. */
@QuarkusTest
@TestProfile(Profiles.Deployed.class)
class FrameworkLoginsTest {

    @ApplicationScoped
    @Identifier("basic-user")
    static class BasicUser implements RateLimitKeyResolver {

        @Override
        public Uni<String> resolve(RateLimitCall call) {
            String credentials = call.header("Authorization");
            return Uni.createFrom().item(credentials == null ? null : user(credentials));
        }

        private static String user(String credentials) {
            byte[] decoded = Base64.getDecoder().decode(credentials.substring("Basic ".length()));
            return new String(decoded, StandardCharsets.UTF_8).split(":", 2)[0];
        }
    }

    @Test
    void formCountsWrongPasswordsOnly() {
        for (int login = 0; login < 3; login++) {
            form("alice", 200);
        }
        form("guess", 401);
        form("guess", 401);
        form("alice", 429);
    }

    private static void form(String password, int status) {
        given().formParam("j_username", "alice").formParam("j_password", password).redirects().follow(false)
                .post("/j_security_check").then().statusCode(status);
    }

    @Test
    void basicAuthenticationCountsWrongPasswordsOfEachUser() {
        for (int login = 0; login < 3; login++) {
            given().get("/account").then().statusCode(401);
            basic("alice", "alice", 404);
        }
        basic("alice", "guess", 401);
        basic("alice", "guess", 401);
        basic("alice", "alice", 429);
        basic("bob", "guess", 401);
    }

    private static void basic(String user, String password, int status) {
        given().auth().preemptive().basic(user, password).get("/account").then().statusCode(status);
    }
}
