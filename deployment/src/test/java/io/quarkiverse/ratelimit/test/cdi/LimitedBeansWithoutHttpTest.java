package io.quarkiverse.ratelimit.test.cdi;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.Pattern;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.RateLimitExceededException;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.test.cdi.fixtures.OwnApplication;
import io.quarkus.runtime.QuarkusApplication;
import io.quarkus.runtime.annotations.QuarkusMain;

/** An application with no other extension, and so without HTTP, limits its beans. It has no Redis either. */
class LimitedBeansWithoutHttpTest {

    private static String output;

    @BeforeAll
    static void run() throws Exception {
        output = OwnApplication.run(OwnApplication.build("without-http", List.of(), Map.of(
                "quarkus.redis.hosts", "redis://localhost:1",
                "quarkus.rate-limit.policies.two.permits", "2",
                "quarkus.rate-limit.policies.two.period", "1h",
                "quarkus.rate-limit.policies.two.key", "ip,header:X-Client,principal"),
                Main.class, Service.class), List.of("-Xlog:class+load:stdout"));
    }

    @Test
    void beansAreLimited() {
        assertThat(output.lines()).contains("call 1 allowed", "call 2 allowed", "call 3 denied by two, FALLBACK");
    }

    @Test
    void nothingOfTheEntryPointForHttpIsLoaded() {
        Predicate<String> ofHttp = Pattern
                .compile("ratelimit\\.runtime\\.(entry\\.(http|rest|classic)|caller\\.HttpCaller)|quarkus\\.vertx\\.http"
                        + "|jakarta\\.ws\\.rs")
                .asPredicate();

        assertThat(output).contains("io.quarkiverse.ratelimit.runtime.entry.cdi.CallLimiter");
        assertThat(output.lines().filter(ofHttp)).isEmpty();
    }

    @ApplicationScoped
    public static class Service {
        @RateLimited("two")
        public void call() {
        }
    }

    @QuarkusMain
    public static class Main implements QuarkusApplication {

        @Inject
        Service service;

        @Override
        public int run(String... args) {
            for (int call = 1; call <= 3; call++) {
                try {
                    service.call();
                    System.out.println("call " + call + " allowed");
                } catch (RateLimitExceededException denial) {
                    System.out.println("call " + call + " denied by " + denial.decision().policy() + ", "
                            + denial.decision().source());
                }
            }
            return 0;
        }
    }
}
