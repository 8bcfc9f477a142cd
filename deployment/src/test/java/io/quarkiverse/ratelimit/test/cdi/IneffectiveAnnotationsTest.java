package io.quarkiverse.ratelimit.test.cdi;

import static io.quarkiverse.ratelimit.test.cdi.LimitAssertions.assertAllows;
import static io.quarkiverse.ratelimit.test.cdi.LimitAssertions.assertUnlimited;
import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.stream.Collectors;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Event;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.eclipse.microprofile.rest.client.inject.RegisterRestClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.test.cdi.fixtures.BodyKeys;
import io.quarkus.arc.InterceptionProxy;
import io.quarkus.arc.profile.IfBuildProfile;
import io.quarkus.runtime.Startup;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.scheduler.Scheduled;
import io.quarkus.test.QuarkusUnitTest;

/**
 * The build warns of annotations that nothing enforces, and of keys that are the whole body of a request. Calls made by the
 * container count, too.
 */
class IneffectiveAnnotationsTest {

    private static final String HERE = IneffectiveAnnotationsTest.class.getName() + "$";

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(LimitAssertions.class, BodyKeys.class))
            .overrideConfigKey("quarkus.rate-limit.timeout", "5s")
            .overrideConfigKey("quarkus.rate-limit.policies.two.permits", "2")
            .overrideConfigKey("quarkus.rate-limit.policies.two.period", "1h")
            .overrideConfigKey("quarkus.rate-limit.policies.two.key", "method")
            .overrideConfigKey("quarkus.rate-limit.policies.user.permits", "2")
            .overrideConfigKey("quarkus.rate-limit.policies.user.period", "1h")
            .overrideConfigKey("quarkus.rate-limit.policies.user.key", "global")
            .setLogRecordPredicate(record -> record.getLevel().intValue() >= Level.WARNING.intValue()
                    && record.getMessage().startsWith("@RateLimit"))
            .assertLogRecords(IneffectiveAnnotationsTest::assertWarnings);

    @Inject
    Produced produced;

    @Inject
    Proxied proxied;

    @Inject
    Started started;

    @Inject
    Event<String> events;

    private static void assertWarnings(List<LogRecord> records) {
        Map<Boolean, List<String>> warnings = records.stream().map(LogRecord::getMessage)
                .collect(Collectors.partitioningBy(message -> message.startsWith("@RateLimitKey")));
        assertThat(warnings.get(true)).containsExactlyElementsOf(BodyKeys.warnings());
        assertThat(warnings.get(false)).containsExactly(
                message("Child#help()", "Child"),
                message("ImplementedByNoBean#call()", "NoBeanEither"),
                message("NoBean", "NoBean"),
                message("Produced#call()", "Produced"),
                "@RateLimited on " + HERE + "UnusedInterface#call() has no effect, as no class implements the interface."
                        + " An AI service of Quarkus LangChain4j needs quarkus-rate-limit-langchain4j.");
    }

    private static String message(String place, String type) {
        return "@RateLimited on " + HERE + place + " has no effect, as " + HERE + type + " is neither a CDI bean nor a"
                + " resource. Give it a scope like @ApplicationScoped; objects made by producer methods or by new are not"
                + " limited.";
    }

    @Test
    void objectsOfProducersAreNotLimited() {
        assertUnlimited(produced::call);
    }

    @Test
    void objectsOfProducersThatLetThemBeInterceptedAreLimited() {
        assertAllows(2, proxied::call);
    }

    @Test
    void subResourcesNeedNotBeBeans() {
        given().when().get("/parent/child").then().statusCode(200);
        given().when().get("/parent/child").then().statusCode(200);
        given().when().get("/parent/child").then().statusCode(429);
    }

    @Test
    void callsAtTheStartAreCounted() {
        assertThat(Caller.started).isTrue();
        assertAllows(1, started::byObserver);
        assertAllows(1, started::byItself);
    }

    @Test
    void observersAreLimited() {
        assertAllows(2, () -> events.fire("event"));
    }

    @Test
    void eachBodyIsACallerOfItsOwn() {
        for (int guess = 1; guess <= 3; guess++) {
            given().body("alice:" + guess).post("/body-keys/a").then().statusCode(200);
        }
    }

    @Singleton
    public static class Caller {

        static boolean started;

        void start(@Observes StartupEvent event, Started called) {
            called.byObserver();
            started = true;
        }
    }

    @Singleton
    @RateLimited("two")
    public static class Started {

        void byObserver() {
        }

        @Startup
        void byItself() {
        }

        void observe(@Observes String event) {
        }
    }

    @RateLimited("two")
    public static class NoBean {
        public void call() {
        }
    }

    public interface ImplementedByNoBean {
        @RateLimited("two")
        void call();
    }

    public static class NoBeanEither implements ImplementedByNoBean {
        @Override
        public void call() {
        }
    }

    public static class Produced {
        @RateLimited("two")
        public void call() {
        }
    }

    public static class Proxied {
        @RateLimited("two")
        public void call() {
        }
    }

    @Singleton
    public static class Producers {

        @Produces
        @Singleton
        Produced produced() {
            return new Produced();
        }

        @Produces
        @Singleton
        Proxied proxied(InterceptionProxy<Proxied> proxy) {
            return proxy.create(new Proxied());
        }
    }

    public static class Base {
        @RateLimited("two")
        public void call() {
        }
    }

    @ApplicationScoped
    public static class BeanOfBase extends Base {
    }

    public abstract static class Unused {
        @RateLimited("two")
        public abstract void call();
    }

    public interface UnusedInterface {
        @RateLimited("two")
        void call();
    }

    @IfBuildProfile("prod")
    @ApplicationScoped
    public static class OnlyInProduction {
        @RateLimited("two")
        public void call() {
        }
    }

    public static class WithScopeAdded {
        @RateLimited("two")
        @Scheduled(every = "1h", delayed = "1h")
        void call() {
        }
    }

    @Path("/made")
    @RegisterRestClient(baseUri = "http://localhost")
    public interface Client {
        @GET
        @RateLimited("two")
        String call();
    }

    @Path("/parent")
    public static class Parent {
        @Path("child")
        public Child child() {
            return new Child();
        }
    }

    public static class Child {
        @GET
        @RateLimited("two")
        public String get() {
            return "child";
        }

        @RateLimited("two")
        public void help() {
        }
    }
}
