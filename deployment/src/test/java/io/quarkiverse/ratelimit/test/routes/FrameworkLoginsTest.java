package io.quarkiverse.ratelimit.test.routes;

import static io.restassured.RestAssured.given;

import java.nio.charset.StandardCharsets;
import java.util.Base64;

import jakarta.enterprise.context.ApplicationScoped;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.spi.RateLimitCall;
import io.quarkiverse.ratelimit.spi.RateLimitKeyResolver;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.common.annotation.Identifier;
import io.smallrye.mutiny.Uni;

/** Routes limit the logins that Quarkus itself serves: forms, and basic authentication. */
class FrameworkLoginsTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClass(BasicUser.class))
            .withConfiguration("""
                    quarkus.http.auth.basic=true
                    quarkus.http.auth.form.enabled=true
                    quarkus.http.auth.form.landing-page=
                    quarkus.http.auth.form.error-page=
                    quarkus.http.auth.permission.account.paths=/account
                    quarkus.http.auth.permission.account.policy=authenticated
                    quarkus.http.auth.permission.account.auth-mechanism=basic
                    quarkus.security.users.embedded.enabled=true
                    quarkus.security.users.embedded.plain-text=true
                    quarkus.security.users.embedded.users.alice=secret
                    quarkus.security.users.embedded.roles.alice=user
                    quarkus.rate-limit.timeout=10s
                    quarkus.rate-limit.policies.form.permits=2
                    quarkus.rate-limit.policies.form.period=1h
                    quarkus.rate-limit.policies.form.key=ip
                    quarkus.rate-limit.policies.form.count-when=401
                    quarkus.rate-limit.routes.form.paths=/j_security_check
                    quarkus.rate-limit.routes.form.policy=form
                    quarkus.rate-limit.policies.basic.permits=2
                    quarkus.rate-limit.policies.basic.period=1h
                    quarkus.rate-limit.policies.basic.key=bean:basic-user
                    quarkus.rate-limit.policies.basic.missing-key=skip
                    quarkus.rate-limit.policies.basic.count-when=401
                    quarkus.rate-limit.routes.basic.paths=/account
                    quarkus.rate-limit.routes.basic.policy=basic
                    """);

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
            form("secret", 200);
        }
        form("guess", 401);
        form("guess", 401);
        form("secret", 429);
    }

    private static void form(String password, int status) {
        given().formParam("j_username", "alice").formParam("j_password", password).redirects().follow(false)
                .post("/j_security_check").then().statusCode(status);
    }

    @Test
    void basicAuthenticationCountsWrongPasswordsOfEachUser() {
        for (int login = 0; login < 3; login++) {
            given().get("/account").then().statusCode(401);
            basic("alice", "secret", 404);
        }
        basic("alice", "guess", 401);
        basic("alice", "guess", 401);
        basic("alice", "secret", 429);
        basic("bob", "guess", 401);
    }

    private static void basic(String user, String password, int status) {
        given().auth().preemptive().basic(user, password).get("/account").then().statusCode(status);
    }
}
