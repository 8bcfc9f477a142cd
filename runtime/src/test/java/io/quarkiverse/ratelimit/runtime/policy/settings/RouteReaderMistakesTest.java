package io.quarkiverse.ratelimit.runtime.policy.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.runtime.policy.settings.fixtures.Configured;
import io.quarkus.vertx.http.runtime.security.ImmutablePathMatcher;

class RouteReaderMistakesTest {

    private static final String ROUTE = "quarkus.rate-limit.routes.api.";
    private static final String[] POLICY = { "quarkus.rate-limit.policies.one.permits=1",
            "quarkus.rate-limit.policies.one.period=1s", "quarkus.rate-limit.policies.one.key=ip" };

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            /api/**        | /api/**
            /a*/b          | /a*/b
            /a/*b/c        | /a/*b/c
            /api/*,/x*x    | /x*x
            /a/*/b*/c      | /a/*/b*/c
            """)
    void wildcardsThatQuarkusDeniesAreReported(String paths, String pattern) {
        assertThat(mistakes(paths)).containsExactly(ROUTE + "paths=" + paths + " has a * in " + pattern
                + " that is neither its end nor a whole segment, as in /api/* or /api/*/orders.");
        assertThatThrownBy(() -> ImmutablePathMatcher.builder().rootPath("/").addPath(pattern, true).build())
                .hasMessageContaining("inner wildcard");
    }

    @ParameterizedTest
    @ValueSource(strings = { "/", "/*", "*", "/api", "/api/*", "/api*", "api/*", "/a/*/b", "/a/*/*/b/*", "/*/b", "*/b",
            "/a/*/b*", "/a/*/", "/.well-known/*", "/a.b/..c", "/stra\u00dfe", "/a;b", "/a%2Fb" })
    void otherPatternsArePossibleForQuarkusToo(String pattern) {
        assertThat(mistakes(pattern)).isEmpty();
        ImmutablePathMatcher.builder().rootPath("/").addPath(pattern, true).build();
    }

    @ParameterizedTest
    @ValueSource(strings = { "/api?x=1", "/api#top", "//api", "/api//x", "http://host/api", "/api/../x", "./api", "/api/." })
    void patternsThatNoPathMatchesAreReported(String pattern) {
        assertThat(mistakes(pattern)).containsExactly(ROUTE + "paths=" + pattern + " has the pattern " + pattern
                + ", which no path matches: a path has no query, no empty segment and no dots as a segment.");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            /ip/*          | /other/*
            /ip/*          | /ipx
            /api           | /api/x
            /api/*/orders  | /api/orders
            /api/*/orders  | /api/7/8/orders
            /api/*/orders  | /api/*/items
            /api/*/orders  | /api/7
            /api/*/o/*     | /api/7
            /a/*,/b/*      | /c
            /login         | /Login
            api/*          | /api/x
            /api/*         | api/x
            """)
    void exceptionThatLiesInNoneOfThePathsIsReported(String paths, String except) {
        assertThat(Configured.with(POLICY[0], POLICY[1], POLICY[2], ROUTE + "paths=" + paths, ROUTE + "policy=one",
                ROUTE + "except=" + except, "quarkus.http.root-path=/shop").mistakes())
                .containsExactly(ROUTE + "except=" + except
                        + " has the pattern " + except + ", which lies in none of paths=" + paths
                        + ". Correct it, or remove it.");
    }

    @Test
    void everySuchExceptionIsReported() {
        assertThat(Configured.with(POLICY[0], POLICY[1], POLICY[2], ROUTE + "paths=/a/*", ROUTE + "policy=one",
                ROUTE + "except=/a/b,/c,/d").mistakes()).satisfiesExactly(c -> assertThat(c).contains("pattern /c,"),
                        d -> assertThat(d).contains("pattern /d,"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            /ip/*              | /ip/x
            /ip/*              | /ip
            /ip*               | /ip/x/*
            /*                 | /q/health
            /                  | /
            *                  | /shop/x
            /api/x             | /api/*
            /api/x             | /*/x
            /api/*/orders      | /api/7/orders
            /api/*/orders      | /*/7/*
            /api/*/orders/*    | /*/8/*/9
            /api/*/orders      | /api/7/*
            /a/*,/b/*          | /b/x
            api/*              | /shop/api/x
            /shop/api/*        | api/x
            /login/            | /login
            """)
    void exceptionThatSomePathMatchesIsNoMistake(String paths, String except) {
        assertThat(Configured.with(POLICY[0], POLICY[1], POLICY[2], ROUTE + "paths=" + paths, ROUTE + "policy=one",
                ROUTE + "except=" + except, "quarkus.http.root-path=/shop").mistakes()).isEmpty();
    }

    @Test
    void mistakesOfAllRoutesAreReportedTogether() {
        assertThat(Configured.with("quarkus.rate-limit.routes.a.paths=/a/**", "quarkus.rate-limit.routes.a.policy=two",
                "quarkus.rate-limit.routes.b.methods=G T", "quarkus.rate-limit.policies.one.permits=1",
                "quarkus.rate-limit.policies.one.period=1s").mistakes())
                .hasSize(5).anyMatch(mistake -> mistake.contains("routes.a.paths=/a/** has"))
                .anyMatch(mistake -> mistake.contains("routes.a.policy=two names no policy"))
                .anyMatch(mistake -> mistake.contains("routes.b.methods=G T must be"))
                .anyMatch(mistake -> mistake.contains("routes.b.paths is missing"))
                .anyMatch(mistake -> mistake.contains("routes.b.policy is missing"));
    }

    private static List<String> mistakes(String paths) {
        return Configured.with(POLICY[0], POLICY[1], POLICY[2], ROUTE + "paths=" + paths, ROUTE + "policy=one").mistakes();
    }
}
