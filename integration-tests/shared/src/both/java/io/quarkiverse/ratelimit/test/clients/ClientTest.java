package io.quarkiverse.ratelimit.test.clients;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;

import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.QueryParam;

import org.eclipse.microprofile.config.ConfigProvider;
import org.eclipse.microprofile.rest.client.RestClientBuilder;
import org.eclipse.microprofile.rest.client.inject.RegisterRestClient;
import org.eclipse.microprofile.rest.client.inject.RestClient;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.RateLimitExceededException;
import io.quarkiverse.ratelimit.RateLimitKey;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkus.test.junit.QuarkusTest;

/** Calls of REST clients are limited before anything is sent, injected or made by a builder. */
@QuarkusTest
class ClientTest {

    @Inject
    @RestClient
    Client injected;

    @Inject
    Served served;

    @BeforeEach
    void clear() {
        served.calls.clear();
    }

    @Test
    void deniedCallSendsNothing() {
        assertAllowsTwo(() -> injected.call("injected"));

        assertThat(served.calls).containsExactly("injected", "injected");
    }

    @Test
    void callOfClientMadeByBuilderIsLimited() {
        BuiltClient built = built(BuiltClient.class);

        assertAllowsTwo(() -> built.call("built"));
        assertThat(served.calls).containsExactly("built", "built");
    }

    @Test
    void deniedStageFailsAndSendsNothing() {
        BuiltClient built = built(BuiltClient.class);

        for (Function<String, CompletionStage<String>> call : List.<Function<String, CompletionStage<String>>> of(
                injected::stage, built::stage)) {
            call.apply("stage").toCompletableFuture().join();
            call.apply("stage").toCompletableFuture().join();
            assertThatThrownBy(() -> call.apply("stage").toCompletableFuture().join())
                    .isInstanceOf(CompletionException.class).hasCauseInstanceOf(RateLimitExceededException.class);
        }
        assertThat(served.calls).hasSize(4);
    }

    @Test
    void overflowAllowsWhatThePolicyOfTheClientDenies() {
        BuiltClient built = built(BuiltClient.class);
        for (Runnable call : List.<Runnable> of(() -> injected.overflowing("injected"), () -> built.overflowing("built"))) {
            call.run();
            assertAllowsTwo(call);
        }

        assertThat(served.calls).containsExactly("injected", "injected", "injected", "built", "built", "built");
    }

    @Test
    void bothKindsOfClientShareTheLimitOfTheirInterface() {
        Client built = built(Client.class);

        injected.ofBoth();
        built.ofBoth();

        assertThatThrownBy(injected::ofBoth).isInstanceOf(RateLimitExceededException.class);
        assertThatThrownBy(built::ofBoth).isInstanceOf(RateLimitExceededException.class);
    }

    @Test
    void parametersArePartOfTheKey() {
        BuiltClient built = built(BuiltClient.class);

        assertAllowsTwo(() -> built.perParameter("a"));
        assertAllowsTwo(() -> built.perParameter("b"));
    }

    @Test
    void parametersAreTheKeyOfAnOverflowWithoutKey() {
        BuiltClient built = built(BuiltClient.class);

        built.overflowingPerParameter("a");
        assertAllowsTwo(() -> built.overflowingPerParameter("a"));
        built.overflowingPerParameter("b");
        assertAllowsTwo(() -> built.overflowingPerParameter("b"));
    }

    @Test
    void annotationOfTheInterfaceLimitsInheritedMethods() {
        Inheriting built = built(Inheriting.class);

        assertAllowsTwo(() -> built.inherited());
    }

    @Test
    void methodsWithoutAnnotationAreUnlimited() {
        for (int i = 0; i < 5; i++) {
            injected.free();
        }
        assertThat(served.calls).hasSize(5);
    }

    @Test
    void keyIsOfTheRequestThatIsServed() {
        for (int expected : List.of(200, 200, 429)) {
            given().header("X-Tenant", "a").post("/client-calls").then().statusCode(expected);
        }
        given().header("X-Tenant", "b").post("/client-calls").then().statusCode(200);
    }

    private static void assertAllowsTwo(Runnable call) {
        call.run();
        call.run();
        assertThatThrownBy(call::run).isInstanceOf(RateLimitExceededException.class);
    }

    private static <T> T built(Class<T> type) {
        return RestClientBuilder.newBuilder()
                .baseUri(URI.create(ConfigProvider.getConfig().getValue("quarkus.rest-client.served.url", String.class)))
                .build(type);
    }

    @Path("/client-served")
    @RegisterRestClient(configKey = "served")
    public interface Client {

        @GET
        @Path("call")
        @RateLimited("client-two")
        String call(@QueryParam("as") String as);

        @GET
        @Path("call")
        @RateLimited("client-two")
        CompletionStage<String> stage(@QueryParam("as") String as);

        @GET
        @Path("call")
        @RateLimited("client-first")
        String overflowing(@QueryParam("as") String as);

        @GET
        @Path("call")
        @RateLimited("client-two")
        String ofBoth();

        @GET
        @Path("call")
        @RateLimited("client-two")
        String perTenant();

        @GET
        @Path("call")
        String free();
    }

    @Path("/client-served")
    public interface BuiltClient {

        @GET
        @Path("call")
        @RateLimited("client-two")
        String call(@QueryParam("as") String as);

        @GET
        @Path("call")
        @RateLimited("client-two")
        CompletionStage<String> stage(@QueryParam("as") String as);

        @GET
        @Path("call")
        @RateLimited("client-first")
        String overflowing(@QueryParam("as") String as);

        @GET
        @Path("{parameter}")
        @RateLimited("client-two")
        String perParameter(@RateLimitKey @PathParam("parameter") String parameter);

        @GET
        @Path("{parameter}")
        @RateLimited("client-argued")
        String overflowingPerParameter(@RateLimitKey @PathParam("parameter") String parameter);
    }

    public interface Inherited {

        @GET
        @Path("/client-served/inherited")
        String inherited();
    }

    @Path("/")
    @RateLimited("client-two")
    public interface Inheriting extends Inherited {
    }

    @Path("/client-served/{call}")
    @Singleton
    public static class Served {

        final List<String> calls = new CopyOnWriteArrayList<>();

        @GET
        public String get(@QueryParam("as") String as) {
            calls.add(String.valueOf(as));
            return "served";
        }
    }

    @Path("/client-calls")
    public static class Calls {

        @Inject
        @RestClient
        Client client;

        @POST
        public String call() {
            return client.perTenant();
        }
    }
}
