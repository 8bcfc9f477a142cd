package io.quarkiverse.ratelimit.test.cdi;

import static io.quarkiverse.ratelimit.test.cdi.LimitAssertions.assertAllows;
import static io.quarkiverse.ratelimit.test.cdi.LimitAssertions.assertSucceeds;
import static io.quarkiverse.ratelimit.test.cdi.LimitAssertions.assertUnlimited;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.RateLimitExceededException;
import io.quarkiverse.ratelimit.RateLimitKey;
import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.runtime.engine.Administration;
import io.quarkiverse.ratelimit.test.fixtures.StateKeys;
import io.quarkus.redis.datasource.RedisDataSource;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;

/** Arguments with {@code @RateLimitKey} identify the caller, after the parts of the policy's key. */
@QuarkusTest
class KeyArgumentsTest {

    @Inject
    Service service;

    @Inject
    Sender<String> sender;

    @Inject
    Contract contract;

    @Inject
    RedisDataSource redis;

    @Inject
    Administration administration;

    @Inject
    @RateLimitPolicy("argument")
    RateLimiter user;

    @Inject
    @RateLimitPolicy("argument-of-four")
    RateLimiter argumentOfFour;

    @Inject
    @RateLimitPolicy("argument-and-method")
    RateLimiter method;

    @BeforeEach
    void nothingIsCounted() {
        redis.flushall();
        administration.reload().await().indefinitely();
    }

    private Consumer<String> call(String kind) {
        return switch (kind) {
            case "plain" -> user -> service.plain("other", user);
            case "uni" -> user -> service.uni(user).await().indefinitely();
            case "multi" -> user -> service.multi(user).collect().asList().await().indefinitely();
            case "stage" -> user -> Uni.createFrom().completionStage(service.stage(user)).await().indefinitely();
            case "generic" -> sender::send;
            case "interface" -> user -> contract.sign(user, "other");
            case "default" -> user -> contract.signAll(user);
            default -> throw new IllegalArgumentException(kind);
        };
    }

    @ParameterizedTest
    @ValueSource(strings = { "plain", "uni", "multi", "stage", "generic", "interface", "default" })
    void everyValueHasACountOfItsOwn(String kind) {
        Consumer<String> call = call(kind);

        assertAllows(2, () -> call.accept("alice"));
        assertAllows(2, () -> call.accept("bob"));

        assertThat(keys()).hasSize(2)
                .allMatch(key -> key.matches("rate-limit:\\{key\\*[0-9a-f]{64}}:argument:default:tb1"));
    }

    @ParameterizedTest
    @ValueSource(strings = { "plain", "uni", "multi", "stage", "generic", "interface", "default" })
    void codeCountsTheSame(String kind) {
        Consumer<String> call = call(kind);
        call.accept("alice");

        assertThat(user.forKey("alice").tryAcquire().allowed()).isTrue();
        assertAllows(0, () -> call.accept("alice"));

        user.forKey("alice").reset();
        assertAllows(2, () -> call.accept("alice"));
    }

    @Test
    void uniIsChargedPerSubscription() {
        Uni<String> uni = service.uni("alice");

        assertAllows(2, () -> uni.await().indefinitely());
    }

    @Test
    void valuesFollowThePartsOfTheKeyInTheirOrder() {
        assertAllows(2, () -> service.pair("a", "b"));
        assertAllows(2, () -> service.pair("b", "a"));
        assertAllows(2, () -> service.pair("a|key=b", "c"));
        assertAllows(2, () -> service.pair("a", "b|key=c"));

        method.forKey(Service.class.getName() + "#pair(java.lang.String,java.lang.String)", "a", "b").reset();
        assertAllows(2, () -> service.pair("a", "b"));
        assertAllows(0, () -> service.pair("b", "a"));
    }

    @Test
    void allPoliciesOfTheMethodCountTheValue() {
        assertAllows(2, () -> service.both("alice"));
        assertAllows(2, () -> service.both("bob"));

        assertThat(redis.key().keys("*:argument:*")).hasSize(2);
        assertThat(redis.key().keys("*:argument-or-skip:*")).hasSize(2);
    }

    @Test
    void eachArgumentBelongsToTheKeysOfItsPolicies() {
        assertAllows(2, () -> service.divided("alice", "acme"));
        assertAllows(2, () -> service.divided("bob", "acme"));
        assertAllows(0, () -> service.divided("carol", "acme"));
        assertAllows(2, () -> service.divided("carol", "other"));
        argumentOfFour.forKey("acme").reset();
        assertAllows(2, () -> service.divided("dave", "acme"));
    }

    @Test
    void numberCountsByItsText() {
        service.number(7);

        assertThat(keys()).containsExactly(
                "rate-limit:{key*7902699be42c8a8e46fbbb4501726517e86b22c56a189f7625a6da49081b2451}:argument:default:tb1");
    }

    @ParameterizedTest
    @ValueSource(strings = { "a b", "{alice}", "a|b", "ip=1.2.3.4" })
    void oddValuesAppearOnlyAsDigests(String value) {
        service.plain("other", value);

        assertThat(keys()).singleElement().asString()
                .matches("rate-limit:\\{key\\*[0-9a-f]{64}}:argument:default:tb1");
    }

    @Test
    void absentValueIsMissing() {
        for (String absent : new String[] { null, "" }) {
            assertAllows(0, () -> service.deny(absent));
            assertUnlimited(() -> service.skip(absent));
        }

        service.plain("other", null);
        service.plain("other", "");
        assertAllows(0, () -> service.uni(null).await().indefinitely());
        assertThat(keys()).containsExactly("rate-limit:{key!}:argument:default:tb1");
    }

    @Test
    void failureOfAValueFailsTheCall() {
        assertThatThrownBy(() -> service.text(new FailingText())).isInstanceOf(IllegalStateException.class)
                .hasMessage("no text");
    }

    @Test
    void parametersOfTheNearestDeclarationCount() {
        assertSucceeds(2, () -> contract.replace("a", "b"));

        assertAllows(0, () -> contract.replace("c", "b"));
        assertAllows(2, () -> contract.replace("a", "c"));
    }

    @Test
    void denialKeepsOddValuesToItself() {
        String secret = "my secret";
        assertAllows(2, () -> service.plain("other", secret));

        assertThatThrownBy(() -> service.plain("other", secret)).isInstanceOfSatisfying(RateLimitExceededException.class,
                denial -> assertThat(denial + " " + denial.decision()).doesNotContain(secret));
    }

    @ParameterizedTest
    @MethodSource
    void optionalCountsAsItsValue(Consumer<Service> present, String value, Consumer<Service> empty) {
        present.accept(service);
        assertThat(user.forKey(value).tryAcquire().allowed()).isTrue();
        assertAllows(0, () -> present.accept(service));

        assertAllows(2, () -> empty.accept(service));
        assertThat(keys()).contains("rate-limit:{key!}:argument:default:tb1");
    }

    static List<Arguments> optionalCountsAsItsValue() {
        return List.of(
                optional(service -> service.optional(Optional.of("alice")), "alice",
                        service -> service.optional((Optional<String>) null)),
                optional(service -> service.optional(Optional.of("alice")), "alice",
                        service -> service.optional(Optional.empty())),
                optional(service -> service.optional(OptionalInt.of(7)), "7",
                        service -> service.optional(OptionalInt.empty())),
                optional(service -> service.optional(OptionalLong.of(7)), "7",
                        service -> service.optional(OptionalLong.empty())),
                optional(service -> service.optional(OptionalDouble.of(0.5)), "0.5",
                        service -> service.optional(OptionalDouble.empty())));
    }

    @ParameterizedTest
    @MethodSource
    void propertyCountsAsItsValue(Consumer<Service> present, String value, Consumer<Service> other, Consumer<Service> absent) {
        present.accept(service);
        other.accept(service);
        assertThat(keys()).hasSize(1);
        assertThatThrownBy(() -> present.accept(service)).isInstanceOf(RateLimitExceededException.class);
        user.forKey(value).reset();
        assertThat(keys()).isEmpty();

        absent.accept(service);
        assertThat(keys()).containsExactly("rate-limit:{key!}:argument:default:tb1");
    }

    static List<Arguments> propertyCountsAsItsValue() {
        return List.of(
                property(service -> service.record(new Login("alice", "a")), "alice",
                        service -> service.record(new Login("alice", "b")), service -> service.record(null)),
                property(service -> service.record(new Login("alice", "a")), "alice",
                        service -> service.record(new Login("alice", "b")), service -> service.record(new Login(null, "a"))),
                property(service -> service.nested(new Form<>(new Login("alice", "a"))), "alice",
                        service -> service.nested(new Form<>(new Login("alice", "b"))),
                        service -> service.nested(new Form<>(null))),
                property(service -> service.optionals(Optional.of(new Account(7))), "7",
                        service -> service.optionals(Optional.of(new Account(7))),
                        service -> service.optionals(Optional.empty())),
                property(service -> service.optionals(Optional.of(new Account(7))), "7",
                        service -> service.optionals(Optional.of(new Account(7))),
                        service -> service.optionals(Optional.of(new Account(0)))),
                property(service -> service.inherited(new Account(7)), "7", service -> service.inherited(new Account(7)),
                        service -> service.inherited(null)),
                property(service -> service.open(new Login("alice", "a")), "alice",
                        service -> service.open(new Login("alice", "b")), service -> service.open(null)));
    }

    private static Arguments property(Consumer<Service> present, String value, Consumer<Service> other,
            Consumer<Service> absent) {
        return Arguments.of(present, value, other, absent);
    }

    private static Arguments optional(Consumer<Service> present, String value, Consumer<Service> empty) {
        return Arguments.of(present, value, empty);
    }

    private List<String> keys() {
        return StateKeys.of(redis, "argument", "argument-and-method", "argument-or-deny", "argument-or-skip");
    }

    @ApplicationScoped
    public static class Service {

        @RateLimited("argument")
        void plain(String other, @RateLimitKey String user) {
        }

        @RateLimited("argument")
        Uni<String> uni(@RateLimitKey String user) {
            return Uni.createFrom().item("done");
        }

        @RateLimited("argument")
        Multi<String> multi(@RateLimitKey String user) {
            return Multi.createFrom().items("a", "b");
        }

        @RateLimited("argument")
        CompletionStage<String> stage(@RateLimitKey String user) {
            return CompletableFuture.completedFuture("done");
        }

        @RateLimited("argument")
        void number(@RateLimitKey long number) {
        }

        @RateLimited("argument")
        void text(@RateLimitKey CharSequence text) {
        }

        @RateLimited("argument")
        void optional(@RateLimitKey Optional<String> text) {
        }

        @RateLimited("argument")
        void optional(@RateLimitKey OptionalInt number) {
        }

        @RateLimited("argument")
        void optional(@RateLimitKey OptionalLong number) {
        }

        @RateLimited("argument")
        void optional(@RateLimitKey OptionalDouble number) {
        }

        @RateLimited("argument")
        void record(@RateLimitKey("name") Login login) {
        }

        @RateLimited("argument")
        void nested(@RateLimitKey("content.name") Form<Login> form) {
        }

        @RateLimited("argument")
        void optionals(@RateLimitKey("owner.number") Optional<Account> account) {
        }

        @RateLimited("argument")
        void inherited(@RateLimitKey("number") Account account) {
        }

        @RateLimited("argument")
        <T extends Login> void open(@RateLimitKey("name") T login) {
        }

        @RateLimited("argument-and-method")
        void pair(@RateLimitKey String one, @RateLimitKey String other) {
        }

        @RateLimited("argument")
        @RateLimited("argument-or-skip")
        void both(@RateLimitKey String user) {
        }

        @RateLimited("argument")
        @RateLimited("argument-of-four")
        void divided(@RateLimitKey(policies = "argument") String user,
                @RateLimitKey(policies = "argument-of-four") String tenant) {
        }

        @RateLimited("argument-or-deny")
        void deny(@RateLimitKey String user) {
        }

        @RateLimited("argument-or-skip")
        void skip(@RateLimitKey String user) {
        }
    }

    private record FailingText() implements CharSequence {
        @Override
        public int length() {
            return 0;
        }

        @Override
        public char charAt(int index) {
            return 0;
        }

        @Override
        public CharSequence subSequence(int start, int end) {
            return this;
        }

        @Override
        public String toString() {
            throw new IllegalStateException("no text");
        }
    }

    private record Login(String name, String password) {
    }

    private record Form<T>(T content) {
    }

    abstract static class Numbered {
        final int value;

        Numbered(int value) {
            this.value = value;
        }

        public int getNumber() {
            return value;
        }
    }

    static final class Account extends Numbered {
        public final Optional<Account> owner;

        Account(int number) {
            super(number);
            owner = Optional.ofNullable(number == 0 ? null : this);
        }
    }

    public interface Sender<T> {
        @RateLimited("argument")
        void send(@RateLimitKey T user);
    }

    @ApplicationScoped
    public static class Mailer implements Sender<String> {
        @Override
        public void send(@RateLimitKey String user) {
        }
    }

    public interface Contract {
        @RateLimited("argument")
        void sign(@RateLimitKey String user, String other);

        @RateLimited("argument")
        void replace(@RateLimitKey String user, String other);

        @RateLimited("argument")
        default void signAll(@RateLimitKey String user) {
        }
    }

    /** Nothing implements it here; a client or another application may. */
    public interface Elsewhere {
        @RateLimited("argument")
        void sign(@RateLimitKey String user);
    }

    @ApplicationScoped
    public static class Signer implements Contract {
        @Override
        public void sign(String user, String other) {
        }

        @Override
        public void replace(String user, @RateLimitKey String other) {
        }
    }
}
