package io.quarkiverse.ratelimit.it.entrypoints;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import jakarta.enterprise.inject.Any;
import jakarta.inject.Inject;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringSerializer;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.eclipse.microprofile.reactive.messaging.Message;
import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkiverse.ratelimit.it.entrypoints.fixtures.FreshLimits;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.reactive.messaging.memory.InMemoryConnector;

/**
 * A policy that delays calls slows consumers down, here to 10 messages per second. No message is lost or acknowledged early.
 */
@QuarkusTest
class MessagingTest extends FreshLimits {

    private static final List<String> MESSAGES = IntStream.range(0, 6).mapToObj(Integer::toString).toList();

    @Inject
    @Any
    InMemoryConnector connector;

    @Inject
    RateLimiters limiters;

    @ConfigProperty(name = "kafka.bootstrap.servers")
    String broker;

    @Test
    void asynchronousConsumerIsSlowedDown() {
        assertSlowedDown("parcels", Parcels.DELIVERED);
    }

    @Test
    void blockingConsumerIsSlowedDown() {
        assertSlowedDown("freight", Parcels.CARRIED);
    }

    private void assertSlowedDown(String channel, List<String> consumed) {
        AtomicInteger acknowledged = new AtomicInteger();
        AtomicInteger early = new AtomicInteger();
        long start = System.nanoTime();

        for (String message : MESSAGES) {
            connector.source(channel).send(Message.of(message, () -> {
                early.addAndGet(consumed.contains(message) ? 0 : 1);
                acknowledged.incrementAndGet();
                return CompletableFuture.completedFuture(null);
            }));
        }

        await().until(() -> acknowledged.get() == MESSAGES.size());
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(Duration.ofMillis(490));
        assertThat(consumed).isEqualTo(MESSAGES);
        assertThat(early).hasValue(0);
    }

    @Test
    void consumerOfKafkaIsSlowedDown() throws Exception {
        Properties properties = send("orders");

        await().atMost(Duration.ofSeconds(30)).until(() -> Parcels.LOGGED.size() == MESSAGES.size());
        assertThat(Duration.ofNanos(Parcels.TIMES.get(5) - Parcels.TIMES.get(0))).as("500 ms, less the delay of the first")
                .isGreaterThan(Duration.ofMillis(200));
        assertThat(Parcels.LOGGED).isEqualTo(MESSAGES);
        try (Admin admin = Admin.create(properties)) {
            await().atMost(Duration.ofSeconds(30)).until(() -> committed(admin) == MESSAGES.size());
        }
    }

    @Test
    void batchOfKafkaIsOneCall() {
        send("pallets");

        await().atMost(Duration.ofSeconds(30))
                .until(() -> Pallets.UNLOADED.stream().mapToInt(List::size).sum() == MESSAGES.size());
        assertThat(limiters.get("batches").peek().remaining()).isEqualTo(100 - Pallets.UNLOADED.size());
        assertThat(limiters.get("batched-messages").peek().remaining()).isEqualTo(100 - MESSAGES.size());
    }

    private Properties send(String topic) {
        Properties properties = new Properties();
        properties.put("bootstrap.servers", broker);
        try (KafkaProducer<String, String> producer = new KafkaProducer<>(properties, new StringSerializer(),
                new StringSerializer())) {
            MESSAGES.forEach(message -> producer.send(new ProducerRecord<>(topic, message)));
        }
        return properties;
    }

    private static long committed(Admin admin) throws Exception {
        for (String group : admin.listGroups().all().get().stream().map(listing -> listing.groupId()).toList()) {
            Map<TopicPartition, OffsetAndMetadata> offsets = admin.listConsumerGroupOffsets(group)
                    .partitionsToOffsetAndMetadata().get();
            OffsetAndMetadata offset = offsets.get(new TopicPartition("orders", 0));
            if (offset != null) {
                return offset.offset();
            }
        }
        return 0;
    }
}
