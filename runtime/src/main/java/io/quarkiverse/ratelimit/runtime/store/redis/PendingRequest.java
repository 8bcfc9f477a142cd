package io.quarkiverse.ratelimit.runtime.store.redis;

import java.util.List;

import io.quarkiverse.ratelimit.runtime.store.RedisStoreException;
import io.quarkiverse.ratelimit.runtime.store.StoreReply;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.Deadline;
import io.smallrye.mutiny.infrastructure.Infrastructure;
import io.smallrye.mutiny.subscription.UniEmitter;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/**
 * A request on its way to Redis. It completes once, with a reply or a failure. Once a queue has accepted it, all methods run on
 * the event loop of that queue. A subscriber that cancels discards the result, but Redis still gets the request.
 */
public abstract sealed class PendingRequest {

    /** Deadline of the decision. This request may be only a part of it. */
    public final Deadline deadline;
    /** Requests with equal keys share batches. One that needs a batch of its own is its own key. */
    public Object batchKey;
    /** True if Redis may have counted the request: it is in a batch, and Redis has not replied to it with an error. */
    boolean mayBeCounted;
    /** {@code null} when the request is completed. */
    private UniEmitter<?> emitter;
    /** Failure of a request whose reply may still arrive; {@code null} if there is none. */
    private RedisStoreException failure;

    private PendingRequest(Deadline deadline, UniEmitter<?> emitter) {
        this.deadline = deadline;
        this.emitter = emitter;
    }

    /** Returns whether it decides calls. Only failures of decisions show that Redis is unavailable. */
    public boolean decides() {
        return this instanceof Decide;
    }

    /** Returns the cluster slot of its keys. */
    public abstract int slot(DecideScript script);

    boolean isCompleted() {
        return emitter == null;
    }

    /** Returns whether it has no reply yet, and its deadline is later. */
    boolean waits(long now) {
        return emitter != null && deadline.due() - now > 0;
    }

    /** @param cause a {@link RedisStoreException}, or a mistake in our code */
    public void fail(Throwable cause) {
        UniEmitter<?> waiting = emitter;
        emitter = null;
        if (waiting != null) {
            failure = mayBeCounted && cause instanceof RedisStoreException known ? known.afterSending() : null;
            try {
                waiting.fail(failure == null ? cause : failure);
            } catch (Throwable mistake) {
                Infrastructure.handleDroppedException(mistake);
            }
        }
    }

    /**
     * Completes the request, or passes on a reply that arrives after the failure. An exception of the subscriber does not
     * prevent the replies to other requests.
     *
     * @param reply a {@link StoreReply} to a decision, else the {@link Response}
     */
    @SuppressWarnings("unchecked")
    void complete(Object reply) {
        UniEmitter<Object> waiting = (UniEmitter<Object>) emitter;
        emitter = null;
        try {
            if (waiting != null) {
                waiting.complete(reply);
            } else if (failure != null && reply instanceof StoreReply late) {
                failure.replied(late);
            }
        } catch (Throwable mistake) {
            Infrastructure.handleDroppedException(mistake);
        }
    }

    /** One command to Redis, with one or several requests. */
    interface Sendable {

        Request command(DecideScript script, boolean withText);

        /** Returns its requests that have no reply yet, and have not failed. */
        List<PendingRequest> uncompleted();
    }

    /** A request to decide. */
    static final class Decide extends PendingRequest {

        final StoreRequest request;
        /** Equal requests in the same batch, for which it acquires, too. */
        List<Decide> equal;

        Decide(StoreRequest request, Deadline deadline, UniEmitter<? super StoreReply> emitter) {
            super(deadline, emitter);
            this.request = request;
        }

        @Override
        public int slot(DecideScript script) {
            return script.slot(request);
        }
    }

    /** A request to run a script that decides nothing, as a command of its own. */
    static final class Run extends PendingRequest implements Sendable {

        private final AssembledScript called;
        /** They share a cluster slot. */
        private final List<String> keys;
        private final List<String> arguments;

        Run(AssembledScript called, List<String> keys, List<String> arguments, Deadline deadline,
                UniEmitter<? super Response> emitter) {
            super(deadline, emitter);
            this.called = called;
            this.keys = keys;
            this.arguments = arguments;
        }

        @Override
        public int slot(DecideScript script) {
            return KeySlot.of(keys.get(0));
        }

        @Override
        public Request command(DecideScript script, boolean withText) {
            return script.command(called, keys, arguments, withText);
        }

        @Override
        public List<PendingRequest> uncompleted() {
            return isCompleted() ? List.of() : List.of(this);
        }
    }
}
