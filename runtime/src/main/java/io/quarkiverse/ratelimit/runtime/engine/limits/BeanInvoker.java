package io.quarkiverse.ratelimit.runtime.engine.limits;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import java.util.function.Supplier;

import org.jboss.logging.Logger;

import io.quarkiverse.ratelimit.runtime.caller.Caller;
import io.quarkiverse.ratelimit.runtime.engine.events.FailureLog;
import io.quarkiverse.ratelimit.runtime.vertx.Timers;
import io.quarkiverse.ratelimit.spi.RateLimitCall;
import io.quarkus.security.identity.SecurityIdentity;
import io.smallrye.mutiny.Uni;

/**
 * Calls the application's resolver beans of one type.
 *
 * @param <B> the type of the beans
 * @param <R> the type of their results
 */
final class BeanInvoker<B, R> {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.ratelimit");

    private final Class<B> type;
    private final Map<String, List<Supplier<B>>> beans;
    private final BiFunction<B, RateLimitCall, Uni<R>> resolve;
    private final Duration timeout;
    private final Timers timers;
    private final Map<String, FailureLog> warned = new ConcurrentHashMap<>();

    BeanInvoker(Class<B> type, Map<String, List<Supplier<B>>> beans, BiFunction<B, RateLimitCall, Uni<R>> resolve,
            Duration timeout, Timers timers) {
        this.timers = timers;
        this.type = type;
        this.beans = beans;
        this.resolve = resolve;
        this.timeout = timeout;
    }

    /** Calls a bean. The result fails when the bean fails or takes too long. */
    Uni<R> result(String bean, RateLimitCall call) {
        return timers.within(timeout, Uni.createFrom().deferred(() -> {
            Uni<R> result = resolve.apply(beans.get(bean).get(0).get(), call);
            return result == null ? Uni.createFrom().<R> nullItem() : result;
        })).onFailure().invoke(failure -> {
            LOG.debugf(failure, "The %s fails", name(bean));
            // the message of the failure may contain a secret
            warn(bean, "fails with " + failure.getClass().getName() + ". Its result is ignored. Enable DEBUG for details.");
        });
    }

    /** Warns at most once a minute for each bean. */
    void warn(String bean, String message) {
        warned.computeIfAbsent(bean, FailureLog::new).failed("The " + name(bean) + ' ' + message);
    }

    private String name(String bean) {
        return type.getSimpleName() + " \"" + bean + '"';
    }

    /** Shows a call to the application's resolver beans. */
    record CallView(Caller caller, String method, List<String> key) implements RateLimitCall {

        @Override
        public String address() {
            return caller.address();
        }

        @Override
        public String header(String name) {
            return caller.header(name);
        }

        @Override
        public String cookie(String name) {
            return caller.cookie(name);
        }

        @Override
        public String query(String name) {
            return caller.query(name);
        }

        @Override
        public String path(String name) {
            return caller.path(name);
        }

        @Override
        public Uni<SecurityIdentity> identity() {
            return caller.identity();
        }
    }
}
