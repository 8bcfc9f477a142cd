package io.quarkiverse.ratelimit.test.rest;

import static io.quarkiverse.ratelimit.test.rest.FailingRequest.HEADERS;
import static io.quarkiverse.ratelimit.test.rest.FailingRequest.REFUNDS;
import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletionStage;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.Path;

import org.jboss.logmanager.Level;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.quarkiverse.ratelimit.RateLimitKey;
import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.runtime.entry.http.LimitedRequest;
import io.quarkiverse.ratelimit.test.fixtures.CheckedLog;
import io.quarkus.test.junit.QuarkusTest;
import io.restassured.config.HttpClientConfig;
import io.restassured.config.RestAssuredConfig;
import io.smallrye.mutiny.Uni;
import io.vertx.ext.web.Router;

/**
 * A request gets status 500 when its decision cannot be applied. The application in this test causes this with a
 * {@link FailingRequest}.
 */
@QuarkusTest
class DecisionsThatCannotBeAppliedTest {

    @RegisterExtension
    static final CheckedLog LOG = new CheckedLog(
            entry -> "io.quarkiverse.ratelimit".equals(entry.getLoggerName()) && entry.getLevel().equals(Level.ERROR),
            errors -> assertThat(errors).as("once a minute").hasSize(1));

    @Inject
    @RateLimitPolicy("spoiled-runs")
    RateLimiter runs;

    @ParameterizedTest
    @CsvSource({ "text," + HEADERS, "uni," + HEADERS, "argument," + HEADERS, "delayed," + HEADERS, "by-route," + HEADERS,
            "delayed-by-route," + HEADERS, "runs," + HEADERS, "handler," + HEADERS, "counted," + REFUNDS,
            "counted-by-route," + REFUNDS, "bean," + REFUNDS, "bean-uni," + REFUNDS, "bean-stage," + REFUNDS,
            "denied-bean," + HEADERS })
    void requestIsAnsweredWith500(String way, String spoiled) {
        assertThat(status(way, "")).isEqualTo(200);
        for (int call = 0; call < 3; call++) {
            assertThat(status(way, spoiled)).isEqualTo(500);
        }
    }

    @Test
    void permitIsReleased() {
        assertThat(status("runs", HEADERS)).isEqualTo(500);

        assertThat(status("runs", "")).isEqualTo(200);
    }

    private static int status(String way, String spoiled) {
        return given().config(RestAssuredConfig.config().httpClient(HttpClientConfig.httpClientConfig()
                .setParam("http.socket.timeout", 20_000))).header("X-Spoiled", spoiled).get("/spoiled/" + way).statusCode();
    }

    @ApplicationScoped
    public static class Beans {

        @RateLimited("spoiled-counted")
        public void plain() {
        }

        @RateLimited("spoiled-counted")
        public Uni<String> uni() {
            return Uni.createFrom().item("uni");
        }

        @RateLimited("spoiled-counted")
        public CompletionStage<String> stage() {
            return Uni.createFrom().item("stage").subscribeAsCompletionStage();
        }

        @RateLimited("spoiled-once")
        public void once() {
        }
    }

    @Singleton
    public static class Spoiling {

        void spoil(@Observes Router router, Instance<LimitedRequest.Shared> shared) {
            router.route("/spoiled/*").order(-1_000).handler(routing -> {
                FailingRequest.limit(routing, routing.request().getHeader("X-Spoiled"), shared.get());
                routing.next();
            });
            router.get("/spoiled/handler").handler(routing -> routing.end("handler"));
        }
    }

    @Path("/spoiled")
    public static class Resource {

        @Inject
        Beans beans;

        @GET
        @Path("text")
        @RateLimited("spoiled")
        public String text() {
            return "text";
        }

        @GET
        @Path("uni")
        @RateLimited("spoiled")
        public Uni<String> uni() {
            return Uni.createFrom().item("uni");
        }

        @GET
        @Path("argument")
        @RateLimited("spoiled")
        public String argument(@RateLimitKey @HeaderParam("Host") String host) {
            return host;
        }

        @GET
        @Path("delayed")
        @RateLimited("spoiled-delayed")
        public String delayed() {
            return "delayed";
        }

        @GET
        @Path("by-route")
        public String byRoute() {
            return "by-route";
        }

        @GET
        @Path("delayed-by-route")
        public String delayedByRoute() {
            return "delayed-by-route";
        }

        @GET
        @Path("runs")
        @RateLimited("spoiled-runs")
        public String runs() {
            return "runs";
        }

        @GET
        @Path("counted")
        @RateLimited("spoiled-counted")
        public String counted() {
            return "counted";
        }

        @GET
        @Path("counted-by-route")
        public String countedByRoute() {
            return "counted-by-route";
        }

        @GET
        @Path("bean")
        public String bean() {
            beans.plain();
            return "bean";
        }

        @GET
        @Path("bean-uni")
        public Uni<String> beanUni() {
            return beans.uni();
        }

        @GET
        @Path("bean-stage")
        public CompletionStage<String> beanStage() {
            return beans.stage();
        }

        @GET
        @Path("denied-bean")
        public String deniedBean() {
            beans.once();
            return "denied-bean";
        }
    }
}
