package io.quarkiverse.ratelimit.runtime.policy.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.runtime.policy.Route;
import io.quarkiverse.ratelimit.runtime.policy.settings.fixtures.Configured;

class RouteReaderTest {

    private static final String ROUTE = "quarkus.rate-limit.routes.login.";
    private static final String POLICY = "quarkus.rate-limit.policies.";

    @Test
    void routeIsRead() {
        assertThat(routes("paths=/login, /api/*", "except=/api/assets/*, /api/*/free", "methods=post,Get", "policy=address")
                .read().routes()).singleElement()
                .returns("login", Route::name).returns(List.of("/login", "/api/*"), Route::paths)
                .returns(List.of("/api/assets/*", "/api/*/free"), Route::except)
                .returns(Set.of("POST", "GET", "HEAD"), Route::methods)
                .returns("address", route -> route.policy().name());
    }

    @Test
    void routeWithoutMethodsIsForAll() {
        assertThat(routes("paths=/*", "policy=address").read().routes().get(0).methods()).isEmpty();
    }

    @Test
    void pathsAndPolicyAreRequired() {
        assertThat(routes("methods=GET").mistakes()).containsExactly(
                ROUTE + "paths is missing. Set paths to the paths to limit, for example /login or /api/*.",
                ROUTE + "policy is missing. Set policy to the policy that limits the paths. Configured policies: address.");
    }

    @Test
    void unknownPolicyIsReported() {
        assertThat(routes("paths=/*", "policy=adress").mistakes()).containsExactly(ROUTE + "policy=adress names no policy."
                + " Configured policies: address. Add quarkus.rate-limit.policies.adress.* or correct the name.");
    }

    @Test
    void policyWithoutKeyIsReported() {
        assertThat(Configured.with(POLICY + "api.permits=5", POLICY + "api.period=1m", ROUTE + "paths=/*",
                ROUTE + "policy=api").mistakes()).singleElement().asString()
                .startsWith(POLICY + "api.key is missing.").endsWith("Needed by quarkus.rate-limit.routes.login.");
    }

    @ParameterizedTest
    @ValueSource(strings = { "key=ip,principal", "key=claim:sub", "key=method", "key=path:id", "plan=roles", "plan=claim:x",
            "exempt-roles=admin" })
    void whatIsNotKnownBeforeAuthenticationIsReported(String line) {
        List<String> lines = new ArrayList<>(List.of("permits=5", "period=1m"));
        lines.add(line.startsWith("key") ? line : "key=ip");
        if (!line.startsWith("key")) {
            lines.add(line);
        }
        if (line.startsWith("plan")) {
            lines.add("plans.gold.permits=9");
        }
        Configured configured = Configured.with(Stream.concat(lines.stream().map(l -> POLICY + "user." + l),
                Stream.of(ROUTE + "paths=/*", ROUTE + "policy=user")).toArray(String[]::new));

        assertThat(configured.mistakes()).singleElement().asString().startsWith(ROUTE + "policy=user has ").endsWith(
                ", which is not known before authentication and before a method is chosen. Give the route a policy of its own,"
                        + " for example with key=ip.");
    }

    @ParameterizedTest
    @ValueSource(strings = { "methods=GET;POST", "methods=G T", "paths=/a,/b?c", "except=/a*/b", "except=/a/../b",
            "except=/a?b",
            "except=//a" })
    void listIsReported(String line) {
        String other = line.startsWith("paths") ? "methods=GET" : "paths=/*";
        assertThat(routes(line, other, "policy=address").mistakes()).singleElement().asString().startsWith(ROUTE + line);
    }

    @Test
    void exceptionAloneIsNoRoute() {
        assertThat(routes("except=/api/*", "policy=address").mistakes()).singleElement().asString()
                .startsWith(ROUTE + "paths is missing.");
    }

    @Test
    void variableChangesARouteOfTheFileOnly() {
        assertThat(routes("paths=/*", "policy=address")
                .andVariable("QUARKUS_RATE_LIMIT_ROUTES_LOGIN_METHODS", "POST").read().routes().get(0).methods())
                .containsExactly("POST");
        assertThat(routes("paths=/*", "policy=address")
                .andVariable("QUARKUS_RATE_LIMIT_ROUTES_LOGIN_PATH", "/x").mistakes()).singleElement().asString()
                .startsWith("QUARKUS_RATE_LIMIT_ROUTES_LOGIN_PATH ");
    }

    private static Configured routes(String... lines) {
        return Configured.with(Stream.concat(
                Stream.of(POLICY + "address.permits=5", POLICY + "address.period=1m", POLICY + "address.key=ip"),
                Stream.of(lines).map(line -> ROUTE + line)).toArray(String[]::new));
    }
}
