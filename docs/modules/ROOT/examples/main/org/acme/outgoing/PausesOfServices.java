package org.acme.outgoing;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.WebApplicationException;
import jakarta.ws.rs.core.MultivaluedMap;
import jakarta.ws.rs.core.Response;

import org.eclipse.microprofile.rest.client.ext.ResponseExceptionMapper;

import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.ReactiveRateLimiter;
import io.quarkus.logging.Log;

/** Pauses calls of GitHub, OpenAI and Anthropic, which also name the end of a wait in headers of their own. */
// tag::mapper[]
@ApplicationScoped
public class PausesOfServices implements ResponseExceptionMapper<WebApplicationException> {

    @Inject
    @RateLimitPolicy("models")
    ReactiveRateLimiter limiter; // <1>

    @Override
    public WebApplicationException toThrowable(Response response) {
        Duration wait = requestedWait(response.getStringHeaders(), Instant.now());
        if (wait.compareTo(Duration.ofMillis(1)) >= 0) {
            Duration pause = wait.compareTo(Duration.ofHours(1)) > 0 ? Duration.ofHours(1) : wait; // <2>
            limiter.pause(pause).subscribe().with(paused -> {
            }, failure -> Log.warn("Other instances do not pause", failure)); // <3>
        }
        return new WebApplicationException(response);
    }

    static Duration requestedWait(MultivaluedMap<String, String> headers, Instant now) {
        try {
            return longestWait(headers, now);
        } catch (RuntimeException malformed) { // <4>
            return Duration.ZERO;
        }
    }

    private static Duration longestWait(MultivaluedMap<String, String> headers, Instant now) {
        Duration wait = Duration.ZERO;
        // OpenAI
        if (headers.containsKey("retry-after-ms")) {
            wait = Duration.ofMillis((long) Math.ceil(Double.parseDouble(headers.getFirst("retry-after-ms"))));
        }
        for (String quota : List.of("requests", "tokens")) {
            if ("0".equals(headers.getFirst("x-ratelimit-remaining-" + quota))) {
                wait = longer(wait, goDuration(headers.getFirst("x-ratelimit-reset-" + quota)));
            }
        }
        // GitHub: seconds since 1970
        if ("0".equals(headers.getFirst("x-ratelimit-remaining"))) {
            wait = longer(wait, Duration.between(now,
                    Instant.ofEpochSecond(Long.parseLong(headers.getFirst("x-ratelimit-reset")))));
        }
        // Anthropic: a date of RFC 3339
        for (String quota : List.of("requests", "input-tokens", "output-tokens")) {
            if ("0".equals(headers.getFirst("anthropic-ratelimit-" + quota + "-remaining"))) {
                wait = longer(wait, Duration.between(now,
                        Instant.parse(headers.getFirst("anthropic-ratelimit-" + quota + "-reset"))));
            }
        }
        return wait;
    }

    /** Reads a time such as {@code 6m0s}, {@code 1.5s} or {@code 20ms}. */
    private static Duration goDuration(String text) {
        return text.endsWith("ms") ? Duration.ofMillis((long) Math.ceil(Double.parseDouble(text.replace("ms", ""))))
                : Duration.parse("PT" + text);
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) > 0 ? one : other;
    }
}
// end::mapper[]
