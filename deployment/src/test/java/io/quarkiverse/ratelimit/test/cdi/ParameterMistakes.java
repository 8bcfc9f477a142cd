package io.quarkiverse.ratelimit.test.cdi;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.ratelimit.RateLimitCost;
import io.quarkiverse.ratelimit.RateLimitKey;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.Unlimited;

/** Annotations of parameters without effect. */
final class ParameterMistakes {

    private static final String HERE = ParameterMistakes.class.getName();

    private ParameterMistakes() {
    }

    static void assertReported(String message) {
        assertThat(message)
                .contains("@RateLimitKey on parameter 2 of " + HERE + "$Wrong#free(int,java.lang.String)"
                        + " has no effect, as the method is not limited. Annotate it with @RateLimited or remove it.")
                .contains("@RateLimitCost on parameter 1 of " + HERE + "$Wrong#exempt(int) has no effect")
                .contains("@RateLimitKey on parameter 1 of " + HERE + "$Wrong#<init>(java.lang.String) has no effect")
                .contains("@RateLimitKey on parameter 1 of " + HERE + "$Free#free(java.lang.String) has no effect")
                .contains("@RateLimitCost on parameter 1 of " + HERE + "$Wrong#text(java.lang.String)"
                        + " is no cost, as it is a java.lang.String. Make it an int or a long.")
                .contains("@RateLimitCost on parameter 1 of " + HERE + "$Wrong#half(double) is no cost")
                .contains("@RateLimitCost is there twice on " + HERE + "$Wrong#twice(int,long)."
                        + " Keep the one that is the cost.")
                .contains("@RateLimitKey on parameter 1 of " + HERE + "$Wrong#bytes([B) does not distinguish callers,"
                        + " as a byte[] has no toString of its own. Give it one, or a parameter that identifies the caller.")
                .contains("@RateLimitKey on parameter 1 of " + HERE + "$Wrong#order(" + HERE + "$Order)"
                        + " does not distinguish callers")
                .contains("@RateLimited on " + HERE + "$Wrong#hidden() has no effect")
                .doesNotContain("#right");
        assertThat(message.lines().filter(line -> line.startsWith("- ") && line.contains(HERE))).hasSize(10);
    }

    @ApplicationScoped
    @RateLimited("class")
    public static class Wrong {

        Wrong() {
        }

        Wrong(@RateLimitKey String name) {
        }

        @RateLimited("a")
        private void hidden() {
        }

        @Unlimited
        void free(int number, @RateLimitKey String user) {
        }

        @Unlimited
        void exempt(@RateLimitCost int cost) {
        }

        void text(@RateLimitCost String cost) {
        }

        void half(@RateLimitCost double cost) {
        }

        void twice(@RateLimitCost int one, @RateLimitCost long other) {
        }

        void bytes(@RateLimitKey byte[] bytes) {
        }

        void order(@RateLimitKey Order order) {
        }

        void rightRecord(@RateLimitKey User user) {
        }

        void rightEnum(@RateLimitKey Kind kind) {
        }

        void rightSubclass(@RateLimitKey Base base) {
        }

        void rightInherited(@RateLimitKey Inheriting inheriting) {
        }

        void rightAnything(@RateLimitKey Object object, @RateLimitKey Long number) {
        }
    }

    public interface Free {
        void free(@RateLimitKey String user);
    }

    public static class Order {
        String user;
    }

    public record User(String name) {
    }

    public enum Kind {
        ONE
    }

    public abstract static class Base {
    }

    public static class Derived extends Base {
        @Override
        public String toString() {
            return "derived";
        }
    }

    public static class Inheriting extends Derived {
    }
}
