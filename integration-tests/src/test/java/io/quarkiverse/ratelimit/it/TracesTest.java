package io.quarkiverse.ratelimit.it;

import static io.restassured.RestAssured.when;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Logger;
import java.util.stream.Collectors;

import jakarta.enterprise.inject.Produces;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import org.jboss.logmanager.ExtHandler;
import org.jboss.logmanager.ExtLogRecord;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkiverse.ratelimit.test.RateLimitTesting;
import io.quarkus.opentelemetry.runtime.tracing.instrumentation.vertx.OpenTelemetryVertxTracingFactory.VertxDelegator;
import io.quarkus.test.junit.QuarkusTest;
import io.vertx.core.Vertx;
import io.vertx.core.impl.VertxInternal;
import io.vertx.core.spi.tracing.VertxTracer;

/** Spans show decisions. */
@QuarkusTest
class TracesTest {

    @Inject
    RateLimitTesting limits;

    @Inject
    RateLimiters limiters;

    @Inject
    Tracer tracer;

    @Inject
    InMemorySpanExporter exporter;

    @Inject
    Vertx vertx;

    @BeforeEach
    void freshLimits() {
        limits.reset();
        exporter.reset();
    }

    @Test
    void spanOfARequestShowsTheDecision() {
        for (int call = 1; call <= 4; call++) {
            when().get("/limited/three-an-hour").then().statusCode(call <= 3 ? 200 : 429);
        }

        List<Map<String, Object>> spans = await().until(() -> decisionsIn("GET /limited/three-an-hour"),
                all -> all.size() == 4);
        assertThat(spans.get(0)).containsEntry("rate_limit.policy", "three-an-hour")
                .containsEntry("rate_limit.outcome", "allowed").containsEntry("rate_limit.source", "redis")
                .containsEntry("rate_limit.remaining", 2L).containsEntry("rate_limit.retry_after", 0.0)
                .containsEntry("rate_limit.denial_reason", "none");
        assertThat(spans.get(3)).containsEntry("rate_limit.outcome", "denied").containsEntry("rate_limit.remaining", 0L)
                .containsEntry("rate_limit.denial_reason", "limit-reached")
                .hasEntrySatisfying("rate_limit.retry_after",
                        seconds -> assertThat((Double) seconds).isBetween(1000.0, 1200.0));
    }

    @Test
    void spanAroundCodeShowsTheDenial() {
        RateLimiter limiter = limiters.get("three-for-each");
        Span span = tracer.spanBuilder("mails").startSpan();
        try (Scope scope = span.makeCurrent()) {
            limiter.forKey("somebody").tryAcquire(3);
            limiter.forKey("somebody").tryAcquire();
            limiter.forKey("anybody").peek();
        } finally {
            span.end();
        }

        assertThat(await().until(() -> decisionsIn("mails"), ended -> !ended.isEmpty())).singleElement()
                .satisfies(decision -> assertThat(decision)
                        .containsEntry("rate_limit.policy", "three-for-each").containsEntry("rate_limit.outcome", "denied"));
    }

    @Test
    void spanSaysThatAKeyIsBlockedUntilALaterCallIsAllowed() {
        RateLimiter blocked = limiters.get("three-for-each").forKey("blocked");
        blocked.block(Duration.ofHours(1));
        for (String name : List.of("denied", "denied-then-allowed")) {
            Span span = tracer.spanBuilder(name).startSpan();
            try (Scope scope = span.makeCurrent()) {
                blocked.tryAcquire();
                if (name.endsWith("allowed")) {
                    limiters.get("three-for-each").forKey("another").tryAcquire();
                }
            } finally {
                span.end();
            }
        }

        assertThat(await().until(() -> decisionsIn("denied"), ended -> !ended.isEmpty())).singleElement()
                .satisfies(decision -> assertThat(decision).containsEntry("rate_limit.denial_reason", "blocked"));
        assertThat(await().until(() -> decisionsIn("denied-then-allowed"), ended -> !ended.isEmpty())).singleElement()
                .satisfies(decision -> assertThat(decision).containsEntry("rate_limit.denial_reason", "none"));
    }

    @Test
    void spanShowsThePolicyOfAChainThatPaysOrWhoseWaitIsTheShortest() {
        for (String key : List.of("overflowing", "staff")) {
            for (int call = 1; call <= 3; call++) {
                Span span = tracer.spanBuilder(key + call).startSpan();
                try (Scope scope = span.makeCurrent()) {
                    limiters.get("one-then-others").forKey(key).tryAcquire();
                } finally {
                    span.end();
                }
            }
        }

        assertThat(onlyDecisionIn("overflowing1")).containsEntry("rate_limit.policy", "one-then-others");
        assertThat(onlyDecisionIn("overflowing2")).containsEntry("rate_limit.policy", "one-more")
                .containsEntry("rate_limit.outcome", "allowed").containsEntry("rate_limit.denial_reason", "none")
                .containsEntry("rate_limit.retry_after", 0.0).containsEntry("rate_limit.remaining", 0L);
        assertThat(onlyDecisionIn("overflowing3")).containsEntry("rate_limit.policy", "one-more")
                .containsEntry("rate_limit.outcome", "denied");
        assertThat(onlyDecisionIn("staff2")).containsEntry("rate_limit.policy", "one-more")
                .containsEntry("rate_limit.outcome", "exempt").containsEntry("rate_limit.denial_reason", "none")
                .doesNotContainKey("rate_limit.remaining");
    }

    @Test
    void noKeyIsShownAndNoRedisCommandIsTraced() {
        limiters.get("three-for-each").forKey("somebody").tryAcquire();
        when().get("/limited/three-an-hour").then().statusCode(200);

        await().until(() -> decisionsIn("GET /limited/three-an-hour"), all -> all.size() == 1);
        assertThat(exporter.getFinishedSpanItems()).extracting(SpanData::getName).doesNotContain("evalsha", "eval");
        assertThat(exporter.getFinishedSpanItems().toString()).doesNotContain("somebody");
    }

    @Test
    void commandsLogNoWarningBeforeTracingIsReady() {
        VertxDelegator tracer = (VertxDelegator) ((VertxInternal) vertx).tracer();
        VertxTracer<?, ?> ready = tracer.getDelegate();
        List<String> warnings = new CopyOnWriteArrayList<>();
        Handler handler = new ExtHandler() {
            @Override
            protected void doPublish(ExtLogRecord record) {
                warnings.add(record.getMessage());
            }
        };
        Logger logger = Logger.getLogger(VertxDelegator.class.getName());
        logger.addHandler(handler);
        tracer.setDelegate(null);
        try {
            limiters.get("three-for-each").forKey("early").tryAcquire();
        } finally {
            tracer.setDelegate(ready);
            logger.removeHandler(handler);
        }

        assertThat(warnings).isEmpty();
    }

    private Map<String, Object> onlyDecisionIn(String span) {
        return await().until(() -> decisionsIn(span), ended -> ended.size() == 1).get(0);
    }

    /** In the order of their starts: one may end after the next has started. */
    private List<Map<String, Object>> decisionsIn(String span) {
        return exporter.getFinishedSpanItems().stream().filter(ended -> ended.getName().equals(span))
                .sorted(Comparator.comparing(SpanData::getStartEpochNanos))
                .map(ended -> ended.getAttributes().asMap().entrySet().stream()
                        .collect(Collectors.toMap(attribute -> attribute.getKey().getKey(), Map.Entry::getValue)))
                .toList();
    }

    @Singleton
    static class Exporter {

        @Produces
        @Singleton
        InMemorySpanExporter exporter() {
            return InMemorySpanExporter.create();
        }

        @Produces
        @Singleton
        SpanProcessor processor(InMemorySpanExporter exporter) {
            return SimpleSpanProcessor.create(exporter);
        }
    }
}
