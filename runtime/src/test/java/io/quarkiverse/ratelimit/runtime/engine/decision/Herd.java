package io.quarkiverse.ratelimit.runtime.engine.decision;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.LongUnaryOperator;
import java.util.stream.Stream;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.caller.Exemptions;
import io.quarkiverse.ratelimit.runtime.caller.MissingKey;
import io.quarkiverse.ratelimit.runtime.engine.charge.Call;
import io.quarkiverse.ratelimit.runtime.engine.charge.Charge;
import io.quarkiverse.ratelimit.runtime.policy.Mode;
import io.quarkiverse.ratelimit.runtime.policy.OnRedisFailure;
import io.quarkiverse.ratelimit.runtime.policy.PlanTable;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.Policy.Prefetch;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.policy.RetryAfter;
import io.quarkiverse.ratelimit.runtime.policy.Statuses;
import io.quarkiverse.ratelimit.runtime.store.LocalStore;

/** Clients that share one key, and call again when they are told to, by a clock that jumps from one call to the next. */
final class Herd {

    private static final long SECOND = 1_000_000;
    /** Not at the beginning of any window. */
    private static final long START = 1_795_377_231_400_000L;

    private long now = START;
    private String caller = "caller";
    private int replicas = 1;
    private long calls, lastCost;
    private final LocalStore store = new LocalStore(() -> now);
    private final Turns turns = new Turns();
    private Policy policy;
    /** Of the last call. */
    private Charge charge;
    private final PriorityQueue<Client> next = new PriorityQueue<>(
            Comparator.comparingLong((Client client) -> client.due).thenComparingInt(client -> client.number));
    private final List<Client> all = new ArrayList<>();

    Herd(RetryAfter retryAfter, Limit... limits) {
        policy = policy(retryAfter, limits);
    }

    static Policy policy(RetryAfter retryAfter, Limit... limits) {
        List<PolicyLimit> named = new ArrayList<>();
        for (Limit limit : limits) {
            named.add(new PolicyLimit("limit" + named.size(), limit));
        }
        return new Policy("policy", named, null, MissingKey.IP, List.of(), OnRedisFailure.LOCAL, Mode.ENFORCE, true,
                PlanTable.NONE, Exemptions.NONE, Statuses.ALL, Duration.ZERO, null, Prefetch.NONE, retryAfter, Duration.ZERO);
    }

    /** One client, with one call that it wants to be allowed. */
    static final class Client {

        private final int number;
        private final long cost, came;
        private final LongUnaryOperator patience;
        private long due;
        private int requests;
        private double waited = -1;

        Client(int number, long cost, long comes, LongUnaryOperator patience) {
            this.number = number;
            this.cost = cost;
            this.came = comes;
            this.due = comes;
            this.patience = patience;
        }

        int requests() {
            return requests;
        }

        /** In seconds, until its call was allowed. */
        double waited() {
            return waited;
        }
    }

    /** Uses up all permits. */
    Herd usedUp() {
        while (!exact(1).isDenied()) {
        }
        return this;
    }

    /** Adds clients that obey and come after this many microseconds, then each this many microseconds after the one before. */
    List<Client> come(int count, long cost, long after, long apart) {
        return add(Stream.iterate(0, i -> i < count, i -> i + 1)
                .map(i -> new Client(all.size() + i, cost, START + after + i * apart, seconds -> seconds * SECOND)).toList());
    }

    /** Adds a client that calls again after this time, whatever it is told. */
    Client comeImpatient(long after, long patience) {
        return add(List.of(new Client(all.size(), 1, START + after, seconds -> patience))).get(0);
    }

    private List<Client> add(List<Client> clients) {
        all.addAll(clients);
        next.addAll(clients);
        return clients;
    }

    /** Lets time pass until all calls are allowed. */
    Herd run() {
        while (!next.isEmpty()) {
            Client client = next.remove();
            now = Math.max(now, client.due);
            client.requests++;
            RateLimitDecision decision = decide(client.cost);
            if (decision.allowed()) {
                client.waited = (now - client.came) / (double) SECOND;
            } else {
                client.due = now + client.patience.applyAsLong(decision.retryAfterSeconds());
                next.add(client);
            }
        }
        return this;
    }

    List<Client> clients() {
        return all;
    }

    double requestsEach() {
        return all.stream().mapToInt(Client::requests).average().orElseThrow();
    }

    double longestWait() {
        return all.stream().mapToDouble(Client::waited).max().orElseThrow();
    }

    long lastCost() {
        return lastCost;
    }

    /** The latest time that a denied call is told, in seconds. */
    long horizon(Limit limit) {
        return Math.max(Turns.SHORTEST_HORIZON.toSeconds(), PolicyLimit.ruleOf(limit).fillTime(now) / SECOND);
    }

    void advance(Duration time) {
        now += LimitUsage.micros(time);
    }

    /** The following calls have these limits. */
    Herd limits(Limit... others) {
        policy = policy(policy.retryAfter(), others);
        return this;
    }

    /** The following calls are counted as without Redis, by one of this number of instances. */
    Herd replicas(int number) {
        replicas = number;
        charge = null;
        return this;
    }

    /** The following calls are those of another caller. */
    Herd caller(String other) {
        caller = other;
        return this;
    }

    Turns turns() {
        return turns;
    }

    /** The decision as the caller gets it. */
    Decision decide(long cost) {
        return tell(exact(cost).decisions().get(0));
    }

    Decision tell(Decision decision) {
        return turns.withTurns(new Outcome(List.of(decision))).decisions().get(0);
    }

    /** The decision as the store made it. */
    Outcome exact(long cost) {
        lastCost = cost;
        if (charge == null || charge.policy != policy || charge.requested.cost() != cost) {
            charge = new Charge(policy, PermitRequest.of(cost)).dividedBy(replicas);
        }
        Call call = new Call(++calls, charge, caller);
        return Outcome.of(call, store.decideNow(call.request()), Source.MEMORY);
    }
}
