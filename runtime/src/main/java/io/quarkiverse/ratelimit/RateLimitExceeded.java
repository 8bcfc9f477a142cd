package io.quarkiverse.ratelimit;

/**
 * Told to observers when a limit has refused a call: at most once per second for each key of a policy, however many of its
 * calls are refused. Only asynchronous observers are told, on worker threads:
 *
 * <pre>
 * void onExceeded(&#64;ObservesAsync RateLimitExceeded exceeded) {
 *     alerts.send(exceeded.policy(), exceeded.decision().key());
 * }
 * </pre>
 *
 * Policies in shadow mode refuse nothing, and where nothing was counted no limit was exceeded: neither is told. Where more
 * than 10000 keys are refused in one second, or 1000 events wait for their observers, further ones are dropped. Failures of
 * observers are logged at most once per minute.
 *
 * @param decision of the policy that has refused; its key is the caller as it is stored, with digests of what may be secret
 */
public record RateLimitExceeded(RateLimitDecision decision) {

    /** The name of the policy that has refused. */
    public String policy() {
        return decision.policy();
    }
}
