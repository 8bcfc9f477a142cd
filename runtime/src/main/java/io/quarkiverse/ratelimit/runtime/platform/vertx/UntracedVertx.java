package io.quarkiverse.ratelimit.runtime.platform.vertx;

import io.vertx.core.Vertx;
import io.vertx.core.impl.VertxInternal;
import io.vertx.core.impl.VertxWrapper;
import io.vertx.core.spi.tracing.VertxTracer;

/**
 * Hides the tracer of Vert.x from clients whose commands are not traced. A client calls it even if its policy ignores traces,
 * and until OpenTelemetry is ready, the tracer logs a warning for each command.
 */
public final class UntracedVertx extends VertxWrapper {

    private UntracedVertx(VertxInternal vertx) {
        super(vertx);
    }

    /** Returns the same Vert.x without its tracer, if it has one. */
    public static Vertx of(Vertx vertx) {
        VertxInternal traced = (VertxInternal) vertx;
        return traced.tracer() == null ? vertx : new UntracedVertx(traced);
    }

    @Override
    public VertxTracer<?, ?> tracer() {
        return null;
    }
}
