package io.quarkiverse.ratelimit.test.cdi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.fail;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.spi.DeploymentException;
import jakarta.inject.Singleton;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.jboss.resteasy.reactive.server.ServerRequestFilter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.grpc.stub.StreamObserver;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.Unlimited;
import io.quarkiverse.ratelimit.test.cdi.fixtures.ParameterMistakes;
import io.quarkiverse.ratelimit.test.cdi.fixtures.SuspendMistakes;
import io.quarkus.grpc.GrpcService;
import io.quarkus.test.QuarkusUnitTest;
import io.quarkus.vertx.web.Route;
import io.quarkus.vertx.web.Route.HandlerType;
import io.quarkus.vertx.web.RouteFilter;
import io.smallrye.common.annotation.Blocking;
import io.smallrye.mutiny.Uni;
import io.vertx.ext.web.RoutingContext;

/** Annotations that cannot work stop the build, all in one message. */
class AnnotationMistakesTest {

    private static final String HERE = AnnotationMistakesTest.class.getName();

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(ParameterMistakes.class, SuspendMistakes.class))
            .assertException(AnnotationMistakesTest::assertAllInOneMessage);

    private static void assertAllInOneMessage(Throwable failure) {
        assertThat(failure).isInstanceOf(DeploymentException.class);
        String message = failure.getMessage();
        assertThat(message)
                .contains(HERE + "$Wrong#hidden() has no effect, as a private method", "Make it at least package-private")
                .contains(HERE + "$Wrong#shared(int) has no effect, as a static method", "Make it an instance method")
                .contains("@RateLimited(\"a\") on " + HERE + "$Wrong#twice(java.lang.String) is there twice")
                .contains("@RateLimited(\"free\") on " + HERE + "$Wrong#free() has cost=0")
                .contains("@RateLimited(\"negative\") on " + HERE + "$Wrong#negative() has cost=-1")
                .contains("@RateLimited(\"dear\") on " + HERE + "$WrongResource#dear() has cost=1000000001")
                .contains(HERE + "$WrongResource#locate() has no effect, as it only locates a sub-resource")
                .contains(HERE + "$Wrong#both() has no effect, as @Unlimited exempts the method")
                .contains("@RateLimited on " + HERE + "$Handlers#all(io.vertx.ext.web.RoutingContext) would deny requests that"
                        + " are not limited", "Annotate the routes, or limit paths with quarkus.rate-limit.routes.*.")
                .contains("@RateLimited on " + HERE + "$Handlers#failed(io.vertx.ext.web.RoutingContext) would deny requests")
                .contains("@RateLimited on " + HERE + "$FailureContract#inherited(io.vertx.ext.web.RoutingContext)"
                        + " would deny requests that are not limited, as " + HERE
                        + "$Handlers#inherited(io.vertx.ext.web.RoutingContext) is")
                .contains("@RateLimited on " + HERE + "$WrongResource#filter() has no effect, as Quarkus calls the method"
                        + " within requests. Annotate the resource methods.")
                .contains("@RateLimited(\"b\") on " + HERE + "$WrongClass is there twice")
                .contains("@RateLimited(\"\") on " + HERE + "$Wrong#unnamed() is no name of a policy")
                .contains("@RateLimited on " + HERE + "$Limited has no effect", "Put it on the classes and methods themselves")
                .contains("@RateLimited on " + HERE + "$Service would fail all calls of " + HERE
                        + "$Service#waits(java.lang.String,io.grpc.stub.StreamObserver), as Quarkus calls it on an event loop",
                        "Add @Blocking or @RunOnVirtualThread to it, or let it return a Uni or Multi.")
                .doesNotContain("right()");
        ParameterMistakes.assertReported(message);
        SuspendMistakes.assertReported(message);
        assertThat(message.lines().filter(line -> line.startsWith("- "))).hasSize(53);
    }

    @Test
    void buildFails() {
        fail("The application must not be built");
    }

    @RateLimited("a")
    @Retention(RetentionPolicy.RUNTIME)
    public @interface Limited {
    }

    @ApplicationScoped
    public static class Wrong {
        @RateLimited
        private void hidden() {
        }

        @RateLimited
        static void shared(int number) {
        }

        @RateLimited("a")
        @RateLimited(value = "a", cost = 2)
        void twice(String parameter) {
        }

        @RateLimited(value = "free", cost = 0)
        void free() {
        }

        @RateLimited(value = "negative", cost = -1)
        void negative() {
        }

        @RateLimited
        @Unlimited
        void both() {
        }

        @RateLimited("")
        void unnamed() {
        }

        @RateLimited("right")
        @RateLimited("also-right")
        void right() {
        }
    }

    @Path("/wrong")
    public static class WrongResource {
        @GET
        @RateLimited(value = "dear", cost = 1_000_000_001)
        public String dear() {
            return "dear";
        }

        @ServerRequestFilter
        @RateLimited("filter")
        public void filter() {
        }

        @Path("located")
        @RateLimited("located")
        public Located locate() {
            return new Located();
        }
    }

    public interface FailureContract {
        @RateLimited("inherited")
        void inherited(RoutingContext routing);
    }

    public static class Handlers implements FailureContract {
        @RouteFilter
        @RateLimited("all")
        void all(RoutingContext routing) {
        }

        @Route(path = "/failing", type = HandlerType.FAILURE)
        @RateLimited("failed")
        void failed(RoutingContext routing) {
        }

        @Override
        @Route(path = "/inherited")
        @Route(path = "/inherited", type = HandlerType.FAILURE)
        public void inherited(RoutingContext routing) {
        }

        @Route(path = "/right")
        @RateLimited("right")
        void right(RoutingContext routing) {
        }
    }

    public static class Located {
        @GET
        public String get() {
            return "located";
        }
    }

    @RateLimited("b")
    @RateLimited(value = "b", cost = 2)
    @ApplicationScoped
    public static class WrongClass {
    }

    @GrpcService
    @Singleton
    @RateLimited("service")
    public static class Service {
        public void waits(String request, StreamObserver<String> reply) {
        }

        @Blocking
        public void right(String request, StreamObserver<String> reply) {
        }

        public Uni<String> right(String request) {
            return Uni.createFrom().item(request);
        }
    }

    @GrpcService
    @Singleton
    @Blocking
    @RateLimited("service")
    public static class BlockingService {
        public StreamObserver<String> right(StreamObserver<String> reply) {
            return reply;
        }
    }
}
