package io.quarkiverse.ratelimit.runtime.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;

import org.jboss.logging.Logger;

import io.quarkiverse.ratelimit.runtime.caller.CallDetails;
import io.quarkiverse.ratelimit.spi.RateLimitCall;
import io.quarkiverse.ratelimit.spi.RateLimitKeyResolver;
import io.quarkiverse.ratelimit.spi.RateLimitPlan;
import io.quarkiverse.ratelimit.spi.RateLimitPlanResolver;
import io.smallrye.mutiny.Uni;

/**
 * Calls the application's resolver beans for the key and the plan of a call. A bean that fails or takes too long has no
 * result.
 */
public final class BeanResolvers {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.ratelimit");
    private static final long PAUSE = TimeUnit.MINUTES.toNanos(1);

    private final Map<String, List<Supplier<RateLimitKeyResolver>>> keys;
    private final Map<String, List<Supplier<RateLimitPlanResolver>>> plans;
    private final Duration timeout;
    private final Map<String, Long> warned = new ConcurrentHashMap<>();

    /**
     * @param timeout of a call's decision; beans get four fifths of it, so that there is time left for the request to
     *        Redis
     */
    public BeanResolvers(Map<String, List<Supplier<RateLimitKeyResolver>>> keys,
            Map<String, List<Supplier<RateLimitPlanResolver>>> plans,
            Duration timeout) {
        this.keys = keys;
        this.plans = plans;
        this.timeout = timeout.multipliedBy(4).dividedBy(5);
    }

    /** Adds the results of these beans to the call; never fails. */
    Uni<CallDetails> results(CallDetails details, List<String> key, Set<String> keyBeans, Set<String> planBeans) {
        RateLimitCall call = new ResolverCall(details.caller(), details.method(), key);
        Map<String, String> keysKnown = new ConcurrentHashMap<>();
        Map<String, String> plansKnown = new ConcurrentHashMap<>();
        List<Uni<String>> all = new ArrayList<>();
        for (String bean : keyBeans) {
            all.add(result("RateLimitKeyResolver", bean, call, resolved -> keys.get(bean).get(0).get().resolve(resolved),
                    keysKnown));
        }
        for (String bean : planBeans) {
            all.add(result("RateLimitPlanResolver", bean, call, resolved -> planName(plans.get(bean).get(0).get(), resolved),
                    plansKnown));
        }
        return Uni.join().all(all).andCollectFailures().map(ignored -> new CallDetails(details.caller(), details.method(),
                details.arguments(), keysKnown, plansKnown));
    }

    private static Uni<String> planName(RateLimitPlanResolver resolver, RateLimitCall call) {
        Uni<RateLimitPlan> plan = resolver.resolve(call);
        return plan == null ? null : plan.map(known -> known == null ? null : known.name());
    }

    private Uni<String> result(String type, String bean, RateLimitCall call, Function<RateLimitCall, Uni<String>> resolver,
            Map<String, String> known) {
        String name = type + " \"" + bean + '"';
        return Uni.createFrom().deferred(() -> {
            Uni<String> result = resolver.apply(call);
            return result == null ? Uni.createFrom().<String> nullItem() : result;
        }).ifNoItem().after(timeout).fail().invoke(value -> {
            if (value != null) {
                known.put(bean, value);
            }
        }).onFailure().recoverWithItem(failure -> {
            warn(name, failure);
            return null;
        });
    }

    /** Warns at most once a minute. The warning leaves out the failure's message, which may contain a secret. */
    private void warn(String name, Throwable failure) {
        LOG.debugf(failure, "The %s fails", name);
        long now = System.nanoTime();
        Long last = warned.get(name);
        boolean due = last == null ? warned.putIfAbsent(name, now) == null
                : now - last >= PAUSE && warned.replace(name, last, now);
        if (due) {
            LOG.warnf("The %s fails with %s. Its result is ignored. Enable DEBUG for details.", name,
                    failure.getClass().getName());
        }
    }
}
