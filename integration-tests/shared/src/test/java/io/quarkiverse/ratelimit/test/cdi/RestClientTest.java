package io.quarkiverse.ratelimit.test.cdi;

import static io.quarkiverse.ratelimit.test.cdi.LimitAssertions.assertAllows;
import static io.quarkiverse.ratelimit.test.cdi.LimitAssertions.assertUnlimited;
import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.ServiceUnavailableException;
import jakarta.ws.rs.WebApplicationException;
import jakarta.ws.rs.core.MediaType;

import org.awaitility.core.ThrowingRunnable;
import org.eclipse.microprofile.config.ConfigProvider;
import org.eclipse.microprofile.rest.client.RestClientBuilder;
import org.eclipse.microprofile.rest.client.inject.RegisterRestClient;
import org.eclipse.microprofile.rest.client.inject.RestClient;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.RateLimitCost;
import io.quarkiverse.ratelimit.RateLimitExceededException;
import io.quarkiverse.ratelimit.RateLimitKey;
import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.Unlimited;
import io.quarkus.rest.client.reactive.QuarkusRestClientBuilder;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.helpers.test.AssertSubscriber;
import io.smallrye.mutiny.subscription.Cancellable;

/** Calls of REST clients are limited before anything is sent, by the annotations of their interface. */
@QuarkusTest
class RestClientTest {

    @Inject
    Served served;

    @Inject
    @RateLimitPolicy("client-delayed")
    RateLimiter delayed;

    @Inject
    @RestClient
    Client client;

    @Inject
    @RestClient
    WholeClient whole;

    @Inject
    @RestClient
    ByConfiguration configured;

    @BeforeEach
    void forgetEarlierCalls() {
        served.calls.clear();
    }

    @Test
    void deniedUniFailsAndSendsNothing() {
        Uni<String> call = client.uni();

        assertAllows(2, () -> call.await().indefinitely());
        assertThat(served.calls).containsExactly("uni", "uni");
    }

    @Test
    void keyIsTheInterfacesMethod() {
        assertThatThrownBy(() -> {
            for (int i = 0; i < 3; i++) {
                client.named();
            }
        }).isInstanceOfSatisfying(RateLimitExceededException.class, denial -> assertThat(denial.decision().key())
                .contains(Client.class.getName() + "#named()"));
    }

    @Test
    void defaultMethodsAreLimited() {
        assertAllows(2, () -> client.asDefault());
    }

    @Test
    void interfacesAnnotationStandsForInheritedMethodsToo() {
        assertAllows(2, () -> whole.own());
        assertAllows(2, () -> whole.inherited("x"));
        assertUnlimited(() -> whole.inheritedDefault());
        assertUnlimited(() -> whole.exempt());
    }

    @Test
    void clientWithoutAnnotationIsLimitedByWhatItInherits() {
        assertAllows(2, () -> configured.shared());
    }

    @Test
    void keyIsOfTheRequestThatIsServed() {
        given().header("X-Tenant", "a").when().post("/rest-client-calls").then().statusCode(200);
        given().header("X-Tenant", "a").when().post("/rest-client-calls").then().statusCode(429);
        given().header("X-Tenant", "b").when().post("/rest-client-calls").then().statusCode(200);
        assertAllows(1, () -> client.perTenant());
    }

    @Test
    void resourceOfTheSameInterfaceIsLimitedByItself() {
        assertAllows(2, () -> whole.alsoServed());

        given().when().get("/rest-client-whole/also-served").then().statusCode(200);
        given().when().get("/rest-client-whole/also-served").then().statusCode(200);
        given().when().get("/rest-client-whole/also-served").then().statusCode(429);
    }

    @Test
    void clientMadeByBuilderIsLimited() {
        BuiltClient built = QuarkusRestClientBuilder.newBuilder().baseUri(application()).build(BuiltClient.class);

        assertAllows(2, () -> built.built());
        assertUnlimited(() -> built.free());
        assertThat(served.calls).containsExactly("built", "built", "free", "free", "free", "free", "free");
    }

    @Test
    void deniedUniOfClientMadeByBuilderFailsAndSendsNothing() {
        BuiltClient built = RestClientBuilder.newBuilder().baseUri(application()).build(BuiltClient.class);
        Uni<String> call = built.builtUni();

        assertAllows(2, () -> call.await().indefinitely());
        built.builtStage().toCompletableFuture().join();
        built.builtStage().toCompletableFuture().join();
        assertThatThrownBy(() -> built.builtStage().toCompletableFuture().join())
                .hasCauseInstanceOf(RateLimitExceededException.class);
        assertThat(served.calls).containsExactly("built-uni", "built-uni", "built-stage", "built-stage");
    }

    @Test
    void clientMadeByBuilderInheritsLimits() {
        RestClientBuilder builder = RestClientBuilder.newBuilder().baseUri(application());
        InheritingClient first = builder.build(InheritingClient.class);
        BuiltClient other = builder.build(BuiltClient.class);

        assertAllows(2, () -> first.inheritedByBuilt());
        assertAllows(2, () -> other.ofTheSameBuilder());
        assertAllows(0, () -> first.inheritedByBuilt());
    }

    @Test
    void callOfClientMadeByBuilderHoldsItsPermitUntilItEnds() {
        BuiltClient built = RestClientBuilder.newBuilder().baseUri(application()).build(BuiltClient.class);

        assertThatThrownBy(() -> built.running("nested")).isInstanceOfSatisfying(WebApplicationException.class,
                outer -> assertThat(outer.getResponse().getStatus()).isEqualTo(429));
        awaitPermit(() -> built.running("plain"));
    }

    private static URI application() {
        return URI.create(ConfigProvider.getConfig().getValue("quarkus.rest-client.limited.url", String.class));
    }

    /** The permit is released shortly after the earlier call has ended. */
    private static void awaitPermit(ThrowingRunnable call) {
        await().ignoreExceptionsInstanceOf(RateLimitExceededException.class).untilAsserted(call);
    }

    @Test
    void streamHoldsItsPermitUntilItEnds() {
        BuiltClient built = Calls.built();
        AssertSubscriber<String> stream = built.stream("endless").subscribe().withSubscriber(AssertSubscriber.create(2));
        stream.awaitItems(1, Duration.ofSeconds(10));
        assertAllows(0, () -> built.stream("other").collect().asList().await().indefinitely());

        stream.cancel();
        awaitPermit(() -> assertThat(built.stream("other").collect().asList().await().indefinitely())
                .containsExactly("other"));
    }

    @Test
    void callThatFailsReleasesItsPermit() {
        BuiltClient built = RestClientBuilder.newBuilder().baseUri(application()).build(BuiltClient.class);

        for (int i = 0; i < 2; i++) {
            await().untilAsserted(() -> assertThatThrownBy(() -> built.failing())
                    .isInstanceOfSatisfying(WebApplicationException.class,
                            failure -> assertThat(failure.getResponse().getStatus()).isEqualTo(503)));
        }
    }

    @Test
    void argumentsOfClientMadeByBuilderAreKeyAndCost() {
        BuiltClient built = Calls.built();

        assertAllows(2, () -> built.perParameter("a"));
        assertAllows(2, () -> built.perParameter("b"));
        assertAllows(1, () -> built.costly("c", 2));
        assertUnlimited(() -> built.costly("c", 0));
        assertThatThrownBy(() -> built.costly("d", -1)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("must be 0 to");
        assertThat(served.calls).containsOnly("a", "b", "c");
    }

    @Test
    void argumentBelongsToTheKeyOfItsPolicyOnly() {
        BuiltClient built = Calls.built();

        built.divided("a");
        assertAllows(1, () -> built.divided("b"));
        assertAllows(0, () -> built.divided("c"));
    }

    @Test
    void callThatIsCanceledReleasesItsPermit() {
        BuiltClient built = Calls.built();
        Cancellable call = built.runningUni("waiting").subscribe().with(ignored -> {
        });
        try {
            await().until(() -> served.calls.contains("waiting"));
            assertAllows(0, () -> built.runningUni("other").await().indefinitely());

            call.cancel();
            awaitPermit(() -> built.runningUni("other").await().indefinitely());
        } finally {
            served.waiting.countDown();
        }
    }

    @Test
    void delayedCallThatIsCanceledIsRefundedAndSendsNothing() {
        BuiltClient built = Calls.built();
        built.delayedUni("first").await().indefinitely();
        Cancellable call = built.delayedUni("second").subscribe().with(ignored -> {
        });
        await().until(() -> delayed.peek().resetAfter().compareTo(Duration.ofSeconds(3)) > 0);

        call.cancel();

        // it would be full after 6 seconds
        await().atMost(Duration.ofSeconds(5)).until(() -> delayed.peek().remaining() == 1);
        assertThat(served.calls).containsExactly("first");
    }

    @Test
    void keyOfClientMadeByBuilderIsOfTheRequestThatIsServed() {
        for (String kind : List.of("/rest-client-calls/built", "/rest-client-calls/built-uni")) {
            given().header("X-Tenant", "a").when().post(kind).then().statusCode(200);
            given().header("X-Tenant", "a").when().post(kind).then().statusCode(429);
            given().header("X-Tenant", "b").when().post(kind).then().statusCode(200);
        }
    }

    @Path("/rest-client-served")
    @RegisterRestClient(configKey = "limited")
    public interface Client {

        @GET
        @Path("uni")
        @RateLimited("two")
        Uni<String> uni();

        @GET
        @Path("named")
        @RateLimited("two")
        String named();

        @GET
        @Path("tenant")
        @RateLimited("client-tenant")
        String perTenant();

        @GET
        @Path("free")
        String free();

        @RateLimited("two")
        default String asDefault() {
            return free();
        }
    }

    @Path("/rest-client-served")
    public interface BuiltClient {

        @GET
        @Path("built")
        @RateLimited("two")
        String built();

        @GET
        @Path("built-uni")
        @RateLimited("two")
        Uni<String> builtUni();

        @GET
        @Path("built-stage")
        @RateLimited("two")
        CompletionStage<String> builtStage();

        @GET
        @Path("{call}")
        @RateLimited("client-running")
        String running(@PathParam("call") String call);

        @GET
        @Path("{parameter}")
        @RateLimited("two")
        String perParameter(@RateLimitKey @PathParam("parameter") String parameter);

        @GET
        @Path("{parameter}")
        @RateLimited("two")
        String costly(@RateLimitKey @PathParam("parameter") String parameter, @QueryParam("cost") @RateLimitCost int cost);

        @GET
        @Path("{parameter}")
        @RateLimited("client-argument")
        @RateLimited("two")
        String divided(@RateLimitKey(policies = "client-argument") @PathParam("parameter") String parameter);

        @GET
        @Path("{call}")
        @RateLimited("client-running")
        Uni<String> runningUni(@PathParam("call") String call);

        @GET
        @Path("{call}")
        @RateLimited("client-delayed")
        Uni<String> delayedUni(@PathParam("call") String call);

        @GET
        @Path("streams/{call}")
        @Produces(MediaType.SERVER_SENT_EVENTS)
        @RateLimited("client-running")
        Multi<String> stream(@PathParam("call") String call);

        @GET
        @Path("failing")
        @RateLimited("client-running")
        String failing();

        @GET
        @Path("same-builder")
        @RateLimited("two")
        String ofTheSameBuilder();

        @GET
        @Path("tenant")
        @RateLimited("client-tenant")
        String perTenant();

        @GET
        @Path("tenant-uni")
        @RateLimited("client-tenant")
        Uni<String> perTenantUni();

        @GET
        @Path("free")
        String free();
    }

    public interface Parent {

        @GET
        @Path("/rest-client-served/inherited-by-built")
        String inheritedByBuilt();
    }

    @RateLimited("two")
    public interface InheritingClient extends Parent {
    }

    public interface Inherited {

        @POST
        @Path("inherited")
        String inherited(String body);

        default String inheritedDefault() {
            return "default";
        }
    }

    @Path("/rest-client-served")
    @RateLimited("two")
    @RegisterRestClient(configKey = "limited")
    public interface WholeClient extends Inherited {

        @GET
        @Path("own")
        String own();

        @GET
        @Path("also-served")
        String alsoServed();

        @GET
        @Path("exempt")
        @Unlimited
        String exempt();
    }

    public interface Shared {

        @GET
        @Path("/rest-client-served/shared")
        @RateLimited("two")
        String shared();
    }

    public interface ByConfiguration extends Shared {
    }

    @Path("/rest-client-whole")
    public static class SameInterface implements WholeClient {

        @Override
        public String inherited(String body) {
            return "inherited";
        }

        @Override
        public String own() {
            return "own";
        }

        @Override
        public String alsoServed() {
            return "served";
        }

        @Override
        public String exempt() {
            return "exempt";
        }
    }

    @Path("/rest-client-served/{call}")
    @Singleton
    public static class Served {

        final List<String> calls = new CopyOnWriteArrayList<>();
        final CountDownLatch waiting = new CountDownLatch(1);

        @GET
        public String get(@PathParam("call") String call) throws InterruptedException {
            calls.add(call);
            if (call.equals("waiting")) {
                waiting.await();
            }
            if (call.equals("nested")) {
                Calls.built().running("inner");
            }
            if (call.equals("failing")) {
                throw new ServiceUnavailableException();
            }
            return call;
        }

        @POST
        public String post(@PathParam("call") String call) throws InterruptedException {
            return get(call);
        }
    }

    @Path("/rest-client-served/streams/{call}")
    public static class Streams {

        @GET
        @Produces(MediaType.SERVER_SENT_EVENTS)
        public Multi<String> stream(@PathParam("call") String call) {
            Multi<String> stream = Multi.createFrom().item(call);
            return call.equals("endless") ? Multi.createBy().concatenating().streams(stream, Multi.createFrom().nothing())
                    : stream;
        }
    }

    @Path("/rest-client-calls")
    public static class Calls {

        @Inject
        @RestClient
        Client client;

        @POST
        public String call() {
            return client.perTenant();
        }

        @POST
        @Path("built")
        public String callBuilt() {
            return built().perTenant();
        }

        @POST
        @Path("built-uni")
        public Uni<String> callBuiltUni() {
            return built().perTenantUni();
        }

        static BuiltClient built() {
            return RestClientBuilder.newBuilder().baseUri(application()).build(BuiltClient.class);
        }
    }
}
