package io.quarkiverse.ratelimit.runtime.devui;

import java.time.Duration;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.function.BiFunction;
import java.util.function.Supplier;

import jakarta.inject.Singleton;

import io.quarkiverse.ratelimit.CallerKey;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitReservation;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyUsers;
import io.quarkiverse.ratelimit.runtime.settings.Settings;
import io.smallrye.mutiny.Uni;

/** Answers the playground: asks the limiters of policies, as code would, and says what came of it. */
@Singleton
public class Playground {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int MOST_TAKEN = 1_000;

    private final RateLimiters limiters;
    private final Settings settings;
    private final PolicyUsers users;
    private final Deque<Taken> taken = new ConcurrentLinkedDeque<>();

    Playground(RateLimiters limiters, Settings settings, PolicyUsers users) {
        this.limiters = limiters;
        this.settings = settings;
        this.users = users;
    }

    /** The policies, and what each wants to know of a caller. */
    public List<Choice> choices() {
        return settings.policies().values().stream()
                .map(policy -> new Choice(policy.name(), fields(policy).labels(), ShownLimit.of(policy.limits()))).toList();
    }

    public Uni<Answer> peek(String policy, List<String> key) {
        return answered(policy, key, Playground::look);
    }

    /** Takes permits, and holds them where concurrency is limited. */
    public Uni<Answer> take(String policy, List<String> key, String cost) {
        return answered(policy, key, (limiter, caller) -> limiter.reserve(caller, Wanted.whole("The cost", cost))
                .ifNoItem().after(PATIENCE).failWith(() -> new IllegalStateException(
                        "The call would be held back for more than " + Notation.wait(PATIENCE) + ", so it was given up."))
                .map(reservation -> kept(new Taken(limiter, caller, reservation))));
    }

    /** Gives back what was taken here last. */
    public Uni<Answer> giveBack() {
        return told(() -> {
            Taken last = taken.poll();
            if (last == null) {
                throw new IllegalStateException("There is nothing to give back. Take permits first.");
            }
            return last.reservation.cancel().chain(() -> look(last.limiter, last.caller))
                    .map(now -> now.after("Gave back " + last.reservation.decision().granted() + " to "
                            + String.join(", ", last.caller.values()) + '.'));
        });
    }

    public Uni<Answer> reset(String policy, List<String> key) {
        return answered(policy, key, (limiter, caller) -> limiter.reset(caller).chain(() -> look(limiter, caller))
                .map(now -> now.after("Forgot what this caller has used up.")));
    }

    /** Puts other numbers in force for this caller; what is left empty stays as it is. */
    public Uni<Answer> override(String policy, List<String> key, String limit, String permits, String period, String burst,
            String ttl) {
        return answered(policy, key, (limiter, caller) -> {
            Limit numbers = new Wanted(permits, period, burst).inPlaceOf(limiters.limits(policy, caller).get(limit));
            Duration time = Wanted.duration("The time to live", ttl);
            return limiters.override(policy, caller, Map.of(limit, numbers), time).chain(() -> look(limiter, caller))
                    .map(now -> now.after("In force for this caller for " + Notation.wait(time) + ": "
                            + Notation.of(numbers) + '.'));
        });
    }

    public Uni<Answer> removeOverride(String policy, List<String> key) {
        return answered(policy, key, (limiter, caller) -> limiters.removeOverride(policy, caller)
                .chain(() -> look(limiter, caller)).map(now -> now.after("This caller has no override any more.")));
    }

    private Uni<Answer> answered(String policy, List<String> key, BiFunction<RateLimiter, CallerKey, Uni<Answer>> question) {
        return told(() -> {
            RateLimiter limiter = limiters.get(policy);
            return question.apply(limiter, fields(settings.policies().get(policy)).caller(key));
        });
    }

    /** What fails is said, too; the Dev UI would log it as its own failure. */
    private static Uni<Answer> told(Supplier<Uni<Answer>> answer) {
        return Uni.createFrom().<Answer> deferred(answer::get).onFailure().recoverWithItem(Answer::of);
    }

    private static Uni<Answer> look(RateLimiter limiter, CallerKey caller) {
        return limiter.peek(caller).map(Answer::ofLook);
    }

    private Answer kept(Taken call) {
        if (call.reservation.decision().allowed()) {
            taken.push(call);
            if (taken.size() > MOST_TAKEN) {
                taken.pollLast();
            }
        }
        return Answer.ofCall(call.reservation.decision());
    }

    private KeyFields fields(Policy policy) {
        return KeyFields.of(policy, users.keyArguments(policy.name()));
    }

    /** @param key the labels of the parts of a caller's key */
    public record Choice(String policy, List<String> key, List<ShownLimit> limits) {
    }

    private record Taken(RateLimiter limiter, CallerKey caller, RateLimitReservation reservation) {
    }
}
