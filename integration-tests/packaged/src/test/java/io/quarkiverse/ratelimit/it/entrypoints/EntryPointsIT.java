package io.quarkiverse.ratelimit.it.entrypoints;

import static io.restassured.RestAssured.given;
import static io.restassured.RestAssured.when;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.greaterThan;
import static org.hamcrest.Matchers.nullValue;
import static org.hamcrest.Matchers.startsWith;

import java.net.URI;
import java.net.http.WebSocketHandshakeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.quarkiverse.ratelimit.it.entrypoints.fixtures.Client;
import io.quarkiverse.ratelimit.it.entrypoints.fixtures.KafkaBroker;
import io.quarkiverse.ratelimit.it.entrypoints.fixtures.McpSession;
import io.quarkiverse.ratelimit.it.entrypoints.fixtures.OtherServices;
import io.quarkiverse.ratelimit.it.entrypoints.tracking.Parcel;
import io.quarkiverse.ratelimit.it.entrypoints.tracking.TrackingGrpc;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusIntegrationTest;
import io.restassured.response.ValidatableResponse;

/** Each entry point of the packaged application, or of its native executable, allows a call and denies another. */
@Tag("slow")
@QuarkusIntegrationTest
@QuarkusTestResource(KafkaBroker.class)
@QuarkusTestResource(OtherServices.class)
class EntryPointsIT {

    private static final Metadata.Key<String> RETRY_AFTER = Metadata.Key.of("retry-after", Metadata.ASCII_STRING_MARSHALLER);

    @TestHTTPResource
    URI server;

    @ParameterizedTest
    @ValueSource(strings = { "plain", "uni" })
    void thirdRequestOfARouteIsDenied(String route) {
        when().get("/routes/" + route).then().statusCode(200);
        when().get("/routes/" + route).then().statusCode(200);

        assertDenied("/routes/" + route, "calls");
    }

    @Test
    void pathIsLimitedBeforeItsEntryPoint() {
        ValidatableResponse allowed = query("{ opening }", "X-Requests", "graphql").statusCode(200);
        allowed.body("data.opening", equalTo("9 to 5"));

        query("{ opening }", "X-Requests", "graphql").statusCode(429).body("'violated-policies'", contains("requests"));
    }

    @ParameterizedTest
    @ValueSource(strings = { "book { title }", "uni { title }", "delivery" })
    void thirdGraphQLFieldIsDenied(String field) {
        for (int call = 1; call <= 2; call++) {
            query("{ it: " + field + " }", "X-Client", "any").statusCode(200).body("errors", nullValue());
        }

        query("{ it: " + field + " opening }", "X-Client", "any").statusCode(200)
                .body("errors[0].extensions.code", equalTo("RATE_LIMITED"))
                .body("data.opening", equalTo("9 to 5"));
    }

    private static ValidatableResponse query(String query, String header, String value) {
        return given().header(header, value).contentType("application/json").body(Map.of("query", query)).post("/graphql")
                .then();
    }

    @Test
    void thirdMessageOfAWebSocketIsDenied() throws InterruptedException {
        try (Client client = new Client(server, "/chat/den", "X-Client", "any")) {
            assertThat(client.receive()).isEqualTo("welcome");
            assertThat(client.sendAndReceive("one")).isEqualTo("one");
            assertThat(client.sendAndReceive("two")).isEqualTo("two");

            assertThat(client.sendAndReceive("three")).startsWith("wait ");
        }
    }

    @Test
    void secondOpeningAndThirdHandshakeOfAWebSocketAreDenied() throws InterruptedException {
        try (Client first = new Client(server, "/lobby"); Client second = new Client(server, "/lobby")) {
            assertThat(first.receive()).isEqualTo("open");
            assertThat(second.closeStatus()).isEqualTo(1011);
        }

        assertThat(catchThrowable(() -> new Client(server, "/lobby")).getCause())
                .isInstanceOfSatisfying(WebSocketHandshakeException.class,
                        denial -> assertThat(denial.getResponse().statusCode()).isEqualTo(429));
    }

    @ParameterizedTest
    @ValueSource(strings = { "plain", "uni", "cached", "langchain4j" })
    void thirdCallOfAToolIsDenied(String tool) {
        McpSession session = new McpSession();
        session.tool(tool).body("result.isError", equalTo(false));
        session.tool(tool).body("result.isError", equalTo(false));

        session.tool(tool).body("result.isError", equalTo(true))
                .body("result.content[0].text", startsWith("Policy calls is used up. Retry after "));
    }

    @ParameterizedTest
    @CsvSource({ "prompts/get, name, greeting", "resources/read, uri, file:///opening",
            "resources/read, uri, file:///books/Emma" })
    void thirdPromptOrResourceIsDenied(String method, String parameter, String value) {
        McpSession session = new McpSession();
        session.call(method, Map.of(parameter, value)).body("error", nullValue());
        session.call(method, Map.of(parameter, value)).body("error", nullValue());

        session.call(method, Map.of(parameter, value)).body("error.code", equalTo(429));
    }

    @Test
    void secondGrpcCallIsDenied() {
        ManagedChannel channel = ManagedChannelBuilder.forAddress("localhost", server.getPort()).usePlaintext().build();
        try {
            TrackingGrpc.TrackingBlockingStub tracking = TrackingGrpc.newBlockingStub(channel);
            Parcel parcel = Parcel.newBuilder().setNumber("7").build();
            assertThat(tracking.locate(parcel).getName()).isEqualTo("parcel 7 is in Rome");

            StatusRuntimeException denial = catchThrowableOfType(StatusRuntimeException.class, () -> tracking.locate(parcel));
            assertThat(denial).isNotNull();
            assertThat(denial.getStatus().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
            assertThat(Integer.parseInt(denial.getTrailers().get(RETRY_AFTER))).isBetween(3000, 3600);
        } finally {
            channel.shutdownNow();
        }
    }

    @ParameterizedTest
    @CsvSource({ "/inner/advice, Send it., tokens", "/inner/rate, one for ten, once", "/inner/code, once, once",
            "/pages/saying, Festina lente., pages", "/pages/forecast, Sunny., pages" })
    void secondCallInsideIsDenied(String path, String response, String policy) {
        when().get(path).then().statusCode(200).body(equalTo(response));

        assertDenied(path, policy);
    }

    private static void assertDenied(String path, String policy) {
        when().get(path).then().statusCode(429).contentType("application/problem+json")
                .header("Retry-After", Integer::parseInt, greaterThan(0)).body("'violated-policies'", contains(policy));
    }

    @ParameterizedTest
    @ValueSource(strings = { "plain", "uni", "message" })
    void secondMessageOfTheEventBusIsDenied(String address) {
        when().get("/inner/bus/" + address).then().statusCode(200).body(startsWith("hello"));

        when().get("/inner/bus/" + address).then().statusCode(200).body(equalTo("failure 429"));
    }

    @Test
    void secondRunOfASchedulerIsSkipped() {
        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> when().get("/inner/runs").then().body(equalTo("1 allowed, others denied")));
    }

    @Test
    void secondMessageOfKafkaIsADeadLetter() {
        Properties properties = new Properties();
        properties.putAll(Map.of("bootstrap.servers", KafkaBroker.address(),
                "group.id", "dead-letters", "auto.offset.reset", "earliest"));
        try (KafkaProducer<String, String> producer = new KafkaProducer<>(properties, new StringSerializer(),
                new StringSerializer())) {
            producer.send(new ProducerRecord<>("letters", "first"));
            producer.send(new ProducerRecord<>("letters", "second"));
        }

        List<ConsumerRecord<String, String>> denied = new ArrayList<>();
        try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(properties, new StringDeserializer(),
                new StringDeserializer())) {
            consumer.subscribe(List.of("dead-letter-topic-letters"));
            await().atMost(Duration.ofSeconds(30)).until(() -> {
                consumer.poll(Duration.ofMillis(100)).forEach(denied::add);
                return !denied.isEmpty();
            });
        }
        assertThat(denied).singleElement().satisfies(letter -> {
            assertThat(letter.value()).isEqualTo("second");
            assertThat(new String(letter.headers().lastHeader("dead-letter-reason").value(), UTF_8))
                    .startsWith("Rate limit exceeded: policy once");
        });
        when().get("/inner/letters").then().body(equalTo("first"));
    }
}
