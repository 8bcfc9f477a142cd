package io.quarkiverse.ratelimit.test.cdi;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.time.Clock;
import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalDate;
import java.util.Date;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.QueryParam;

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
                .contains(noKey("$Keys#bytes([B)", "byte[]") + ", which has no properties. A key is text, a number, a boolean,"
                        + " an enum, a UUID, a java.time value, or an Optional of one. Annotate such a parameter, or name such"
                        + " a property, as in @RateLimitKey(\"user.name\").")
                .contains(noKey("$Keys#texts([Ljava.lang.String;)", "java.lang.String[]"))
                .contains(noKey("$Keys#list(java.util.List)", "java.util.List<java.lang.String>"))
                .contains(noKey("$Keys#optionalList(java.util.Optional)",
                        "java.util.Optional<java.util.List<java.lang.String>>"))
                .contains(noKey("$Keys#raw(java.util.Optional)", "java.util.Optional"))
                .contains(noKey("$Keys#login(" + HERE + "$Login)", HERE + "$Login")
                        + ", which has the properties details, user. A key")
                .contains("@RateLimitKey(\"usr\") on parameter 1 of " + HERE + "$Properties#unknown(" + HERE + "$Login)"
                        + " names no property of " + HERE + "$Login, which has the properties details, user.")
                .contains("@RateLimitKey(\"details.born.year\") on parameter 1 of " + HERE + "$Properties#pastTheEnd(" + HERE
                        + "$Login) names no property of java.time.LocalDate, which has no properties.")
                .contains("@RateLimitKey(\"details\") on parameter 1 of " + HERE + "$Properties#object(" + HERE + "$Login)"
                        + " is no key, as it is a " + HERE + "$Details, which has the properties born, tags.")
                .contains("@RateLimitKey(\"details.tags\") on parameter 1 of " + HERE + "$Properties#list(" + HERE + "$Login)"
                        + " is no key, as it is a java.util.List<java.lang.String>, which has no properties.")
                .contains(noKey("$Keys#object(java.lang.Object)", "java.lang.Object"))
                .contains(noKey("$Keys#date(java.util.Date)", "java.util.Date"))
                .contains(noKey("$Keys#clock(java.time.Clock)", "java.time.Clock"))
                .contains(noKey("$Generic#get(java.lang.Object)", HERE + "$Login"))
                .contains(noKey("$Open#get(java.lang.Object)", "T"))
                .contains("@RateLimitKey on parameter 1 of " + HERE + "$Resource#business(java.lang.String) has no effect")
                .contains("@RateLimited on " + HERE + "$Wrong#hidden() has no effect")
                .doesNotContain("#right");
        assertThat(message.lines().filter(line -> line.startsWith("- ") && line.contains(HERE))).hasSize(24);
    }

    private static String noKey(String method, String type) {
        return "@RateLimitKey on parameter 1 of " + HERE + method + " is no key, as it is a " + type;
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
    }

    @ApplicationScoped
    @RateLimited("class")
    public static class Keys {

        void bytes(@RateLimitKey byte[] bytes) {
        }

        void texts(@RateLimitKey String... texts) {
        }

        void list(@RateLimitKey List<String> texts) {
        }

        void optionalList(@RateLimitKey Optional<List<String>> texts) {
        }

        @SuppressWarnings("rawtypes")
        void raw(@RateLimitKey Optional raw) {
        }

        void login(@RateLimitKey Login login) {
        }

        void object(@RateLimitKey Object object) {
        }

        void date(@RateLimitKey Date date) {
        }

        void clock(@RateLimitKey Clock clock) {
        }

        void rightText(@RateLimitKey String string, @RateLimitKey CharSequence text, @RateLimitKey char character) {
        }

        void rightNumber(@RateLimitKey Long number, @RateLimitKey double other, @RateLimitKey BigDecimal money,
                @RateLimitKey Number any, @RateLimitKey boolean yes) {
        }

        void rightEnum(@RateLimitKey Kind kind, @RateLimitKey TimeUnit unit, @RateLimitKey DayOfWeek day) {
        }

        void rightValue(@RateLimitKey UUID id, @RateLimitKey LocalDate date, @RateLimitKey Instant time) {
        }

        void rightOptional(@RateLimitKey Optional<UUID> id, @RateLimitKey OptionalInt number,
                @RateLimitKey Optional<? extends Kind> kind) {
        }

        <T extends Enum<T>, N extends Number> void rightBound(@RateLimitKey T value, @RateLimitKey N number) {
        }
    }

    @ApplicationScoped
    @RateLimited("class")
    public static class Properties {

        void unknown(@RateLimitKey("usr") Login login) {
        }

        void pastTheEnd(@RateLimitKey("details.born.year") Login login) {
        }

        void object(@RateLimitKey("details") Login login) {
        }

        void list(@RateLimitKey("details.tags") Login login) {
        }

        void right(@RateLimitKey("user") Login login, @RateLimitKey("details.born") Login other) {
        }
    }

    public abstract static class Generic<T> {
        @RateLimited("generic")
        void get(@RateLimitKey T key) {
        }

        @RateLimited("generic")
        void right(@RateLimitKey Optional<T> key, int number) {
        }
    }

    @ApplicationScoped
    public static class OfLogin extends Generic<Login> {
        @Override
        @Unlimited
        void right(Optional<Login> key, int number) {
        }
    }

    @ApplicationScoped
    public static class OfText extends Generic<String> {
    }

    @ApplicationScoped
    public static class Open<T> {
        @RateLimited("open")
        void get(@RateLimitKey T key) {
        }
    }

    @Path("/keys")
    @RateLimited("class")
    public static class Resource {
        @GET
        public String right(@RateLimitKey @QueryParam("user") Optional<String> user) {
            return business("");
        }

        String business(@RateLimitKey String text) {
            return text;
        }
    }

    public interface Free {
        void free(@RateLimitKey String user);
    }

    public record Login(String user, Details details) {
    }

    public record Details(LocalDate born, List<String> tags) {
    }

    public enum Kind {
        ONE {
            @Override
            public String toString() {
                return "one";
            }
        }
    }
}
