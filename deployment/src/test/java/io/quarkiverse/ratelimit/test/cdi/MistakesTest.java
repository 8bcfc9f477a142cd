package io.quarkiverse.ratelimit.test.cdi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.spi.DeploymentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkus.test.QuarkusUnitTest;

/** Annotations without effect stop the build, all in one message. */
class MistakesTest {

    private static final String BEAN = MistakesTest.class.getName() + "$Wrong";

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .assertException(failure -> assertThat(failure).isInstanceOf(DeploymentException.class)
                    .hasMessageContaining("@RateLimited on " + BEAN + "#hidden() has no effect")
                    .hasMessageContaining("Make it at least package-private")
                    .hasMessageContaining("@RateLimited on " + BEAN + "#shared(int) has no effect")
                    .hasMessageContaining("Make it an instance method")
                    .hasMessageContaining("@RateLimited(\"a\") on " + BEAN + "#twice() is there twice")
                    .hasMessageContaining("@RateLimited(\"b\") on " + BEAN + "#free() has cost=0")
                    .hasMessageContaining("@RateLimited(\"c\") on " + BEAN + " is there twice")
                    .hasMessageContaining("@RateLimited on " + MistakesTest.class.getName() + "$Limited has no effect")
                    .hasMessageContaining("Put it on the classes and methods themselves")
                    .hasMessageNotContaining("#right()"));

    @Test
    void allMistakesAreReportedTogether() {
        fail("the application must not start");
    }

    @RateLimited("a")
    @Retention(RetentionPolicy.RUNTIME)
    public @interface Limited {
    }

    @ApplicationScoped
    @RateLimited("c")
    @RateLimited(value = "c", cost = 2)
    public static class Wrong {

        @RateLimited("a")
        private void hidden() {
        }

        @RateLimited("a")
        static void shared(int number) {
        }

        @RateLimited("a")
        @RateLimited("a")
        void twice() {
        }

        @RateLimited(value = "b", cost = 0)
        void free() {
        }

        @RateLimited("a")
        @RateLimited("b")
        void right() {
        }
    }
}
