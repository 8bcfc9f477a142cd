package io.quarkiverse.ratelimit.test.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.fail;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.spi.DeploymentException;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.Unlimited;
import io.quarkus.test.QuarkusUnitTest;

class AnnotationMistakesTest {

    private static final String HERE = AnnotationMistakesTest.class.getName();

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Wrong.class, WrongResource.class, WrongClass.class, Located.class))
            .assertException(AnnotationMistakesTest::assertAllInOneMessage);

    private static void assertAllInOneMessage(Throwable failure) {
        Throwable cause = failure;
        while (!(cause instanceof DeploymentException) && cause.getCause() != null) {
            cause = cause.getCause();
        }
        assertThat(cause).isInstanceOf(DeploymentException.class);
        assertThat(cause.getMessage()).contains(HERE + "$Wrong#hidden() has no effect, as a private method")
                .contains(HERE + "$Wrong#shared() has no effect, as a static method")
                .contains("@RateLimited(\"a\") on " + HERE + "$Wrong#twice(java.lang.String) is there twice")
                .contains("@RateLimited(\"free\") on " + HERE + "$Wrong#free() has cost=0")
                .contains("@RateLimited(\"negative\") on " + HERE + "$Wrong#negative() has cost=-1")
                .contains("@RateLimited(\"dear\") on " + HERE + "$WrongResource#dear() has cost=1000000001")
                .contains(HERE + "$WrongResource#locate() has no effect, as it only locates a sub-resource")
                .contains(HERE + "$Wrong#both() has no effect, as @Unlimited exempts the method")
                .contains("@RateLimited(\"b\") on " + HERE + "$WrongClass is there twice")
                .contains("@RateLimited(\"\") on " + HERE + "$Wrong#unnamed() is no name of a policy")
                .doesNotContain("right()");
        assertThat(cause.getMessage().lines().filter(line -> line.startsWith("- "))).hasSize(10);
    }

    @Test
    void buildFails() {
        fail("The application must not be built");
    }

    @ApplicationScoped
    public static class Wrong {
        @RateLimited
        private void hidden() {
        }

        @RateLimited
        static void shared() {
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

        @Path("located")
        @RateLimited("located")
        public Located locate() {
            return new Located();
        }
    }

    public static class Located {
        @GET
        public String get() {
            return "located";
        }
    }

    @RateLimited("b")
    @RateLimited("b")
    @ApplicationScoped
    public static class WrongClass {
    }
}
