package io.quarkiverse.ratelimit.test.rest;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerRequestFilter;
import jakarta.ws.rs.ext.Provider;

import org.jboss.logging.MDC;
import org.jboss.resteasy.reactive.server.ServerRequestFilter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.test.fixtures.Profiles;
import io.quarkus.arc.properties.IfBuildProperty;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import io.smallrye.common.vertx.ContextLocals;
import io.smallrye.mutiny.Uni;

@QuarkusTest
@TestProfile(Profiles.Providers.class)
class FilterOrderTest {

    @Inject
    Passed passed;

    @Test
    void filtersOfTheApplicationAreNotRunForADeniedRequest() {
        for (int call = 1; call <= 3; call++) {
            given().header("X-Path", "denied").get("/ordered").then().statusCode(200);
        }
        passed.filters().clear();

        given().header("X-Path", "denied").get("/ordered").then().statusCode(429);

        assertThat(passed.filters()).containsExactly("pre-matching");
    }

    @ParameterizedTest
    @ValueSource(strings = { "/ordered", "/ordered/uni", "/ordered/free" })
    void whatFiltersLeaveOnTheRequestIsSeenByTheResource(String path) {
        passed.filters().clear();

        String seen = given().header("X-Path", "seen " + path).get(path).asString();

        assertThat(seen).isEqualTo("early early-mdc early-bean late late-mdc");
        assertThat(passed.filters()).containsExactly("pre-matching", "first");
    }

    @Path("/ordered")
    public static class Resource {
        @Inject
        Marks marks;

        @GET
        @RateLimited("ordered")
        public String blocking() {
            return seen();
        }

        @GET
        @Path("uni")
        @RateLimited("ordered")
        public Uni<String> uni() {
            return Uni.createFrom().item(this::seen);
        }

        @GET
        @Path("free")
        public String free() {
            return seen();
        }

        private String seen() {
            return ContextLocals.get("early", "no") + " " + MDC.get("early") + " " + marks.early() + " "
                    + ContextLocals.get("late", "no") + " " + MDC.get("late");
        }
    }

    @IfBuildProperty(name = Profiles.Providers.PROPERTY, stringValue = "true")
    public static class Early {
        @Inject
        Passed passed;
        @Inject
        Marks marks;

        @ServerRequestFilter(preMatching = true)
        public void mark() {
            passed.filters().add("pre-matching");
            ContextLocals.put("early", "early");
            MDC.put("early", "early-mdc");
            marks.make("early-bean");
        }
    }

    @IfBuildProperty(name = Profiles.Providers.PROPERTY, stringValue = "true")
    @Provider
    @Priority(Integer.MIN_VALUE + 1)
    public static class First implements ContainerRequestFilter {
        @Inject
        Passed passed;

        @Override
        public void filter(ContainerRequestContext request) {
            passed.filters().add("first");
            ContextLocals.put("late", "late");
            MDC.put("late", "late-mdc");
        }
    }

    @RequestScoped
    public static class Marks {
        private String early;

        void make(String early) {
            this.early = early;
        }

        String early() {
            return early;
        }
    }

    @ApplicationScoped
    public static class Passed {
        private final List<String> filters = new CopyOnWriteArrayList<>();

        List<String> filters() {
            return filters;
        }
    }
}
