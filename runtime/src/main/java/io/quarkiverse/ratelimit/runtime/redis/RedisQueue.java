package io.quarkiverse.ratelimit.runtime.redis;

import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;

import io.smallrye.mutiny.subscription.UniEmitter;
import io.vertx.core.AsyncResult;
import io.vertx.core.impl.ContextInternal;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import io.vertx.redis.client.impl.types.ErrorType;

/**
 * Sends requests to Redis over one connection that belongs to one event loop. The requests of one iteration of the loop go out
 * as one batch, or as several if there are many. Equal requests are merged. The methods of {@link RequestSender} may be called
 * on any thread; all others run on that loop.
 *
 * <p>
 * A batch is one command, so an error from Redis means that nothing of it was counted. A batch without a reply is never sent
 * again. Requests without a reply in time fail. If no other reply arrived in time meanwhile, the queue drops the connection,
 * and requests fail at once until a new connection is ready.
 */
final class RedisQueue implements RequestSender {

    private static final int MAX_WAITING = 10_000;
    /** Flush early once this many requests wait and Redis has little to do, so that it works while the loop continues. */
    private static final int ENOUGH = 32;
    /** Prefix of the error of a script whose arguments were computed for another time than the time of Redis. */
    private static final String OTHER_TIME = "OTHERTIME";

    private final ContextInternal loop;
    private final long timeout;
    private final DecideScript script;
    private final Outage outage;
    private final RedirectHandler redirections;
    private final Reconnector link;
    private final RequestTimeouts deadlines;
    private final ArrayDeque<PendingRequest> waiting = new ArrayDeque<>();
    /** Separate commands that wait for a connection. */
    private final ArrayDeque<Runnable> unsent = new ArrayDeque<>();
    private final AtomicBoolean opening = new AtomicBoolean();
    private final CompletableFuture<Void> settled = new CompletableFuture<>();
    private boolean flushing;
    private volatile boolean opened;

    /** @param timeout how many nanoseconds a decision may take */
    RedisQueue(ContextInternal loop, RedisConnector connector, DecideScript script, Outage outage, RedirectHandler redirections,
            long timeout) {
        this.loop = loop;
        this.timeout = timeout;
        this.script = script;
        this.outage = outage;
        this.redirections = redirections;
        this.link = new Reconnector(loop, connector, outage, timeout, this::opened, this::failAll);
        this.deadlines = new RequestTimeouts(loop, this::expired);
    }

    /** Completes the request with the reply, or fails it at its deadline at the latest. */
    @Override
    public void ask(PendingRequest pending) {
        if (loop.inThread()) {
            accept(pending);
        } else {
            loop.runOnContext(ignored -> accept(pending));
        }
    }

    @Override
    public void send(String key, Request request, UniEmitter<? super Response> caller) {
        send(request, false, caller);
    }

    /** @param asking whether the node is importing the slot of the command */
    void send(Request request, boolean asking, UniEmitter<? super Response> caller) {
        loop.runOnContext(ignored -> {
            connected(() -> sendNow(request, asking, caller));
            deadlines.when(System.nanoTime() + timeout, () -> {
                // no decision waits for this command, so connecting may take longer
                if (link.connection() != null) {
                    leaveIfSilent(System.nanoTime());
                }
            });
        });
    }

    /** Runs the task when a connection is ready or Redis is unavailable. */
    private void connected(Runnable task) {
        if (!link.isUnavailable()) {
            link.connect();
        }
        unsent.add(task);
        if (link.isUnavailable() || link.connection() != null) {
            sendUnsent();
        }
    }

    boolean isUnavailable() {
        return link.isUnavailable();
    }

    private void sendNow(Request request, boolean asking, UniEmitter<? super Response> caller) {
        ScriptConnection used = link.connection();
        if (used == null || !used.takesCalls()) {
            caller.fail(new RedisStoreException("Redis is unavailable"));
        } else {
            used.sent(0);
            if (asking) {
                used.redis().send(Request.cmd(Command.ASKING));
            }
            used.redis().send(request).onComplete(result -> {
                used.answered(0, true);
                if (result.succeeded()) {
                    caller.complete(result.result());
                } else {
                    caller.fail(result.cause());
                }
                flush();
            });
        }
    }

    private void sendUnsent() {
        while (!unsent.isEmpty()) {
            unsent.poll().run();
        }
    }

    /** Connects before the first request. Completes when Redis is connected or known to be unavailable. */
    @Override
    public CompletionStage<Void> open() {
        if (opening.compareAndSet(false, true)) {
            loop.runOnContext(ignored -> link.connect());
        }
        return settled;
    }

    /** Whether it has ever been connected. */
    @Override
    public boolean hasOpened() {
        return opened;
    }

    @Override
    public void close() {
        loop.runOnContext(ignored -> link.close(new RedisStoreException("The application is stopping")));
    }

    /** Closes the queue unless it has requests, or a reply is outstanding. */
    boolean closeIfIdle() {
        boolean idle = unsent.isEmpty() && waiting.isEmpty() && (link.connection() == null || link.connection().isIdle());
        if (idle) {
            close();
        }
        return idle;
    }

    private void accept(PendingRequest pending) {
        if (link.isUnavailable()) {
            pending.fail(new RedisStoreException("Redis is unavailable"));
        } else if (waiting.size() >= MAX_WAITING) {
            RedisStoreException full = RedisStoreException.full();
            outage.denied(full);
            pending.fail(full);
        } else {
            pending.queue = this;
            waiting.add(pending);
            deadlines.add(pending);
            if (waiting.size() >= ENOUGH && link.connection() != null
                    && link.connection().hasLittleToDo(waiting.size())) {
                flush();
            } else if (!flushing) {
                flushing = true;
                loop.runOnContext(ignored -> flush());
            }
        }
    }

    private void opened() {
        opened = true;
        settled.complete(null);
        sendUnsent();
        flush();
    }

    private void flush() {
        flushing = false;
        link.leaveIfOutdated();
        if (!waiting.isEmpty()) {
            link.connect();
        }
        while (!waiting.isEmpty() && link.connection() != null && link.connection().takesCalls()) {
            Batch call = new Batch(waiting.size());
            long now = System.nanoTime();
            PendingRequest first = waiting.peek();
            while (!waiting.isEmpty() && waiting.peek().goesWith(first)) {
                PendingRequest next = waiting.peek();
                // the timer fails late requests
                if (!next.isAnswered() && !next.isLate(now) && !call.add(next)) {
                    break;
                }
                waiting.poll();
            }
            if (!call.isEmpty()) {
                send(call, false);
            }
        }
    }

    private void send(Batch call, boolean withText) {
        ScriptConnection used = link.connection();
        used.sent(call.size());
        for (MergedRequest entry : call.entries()) {
            entry.sent();
        }
        if (call.isAsking()) {
            used.redis().send(Request.cmd(Command.ASKING));
        }
        used.redis().send(withText ? script.eval(call.requests()) : script.evalsha(call.requests()))
                // continue after the connection has been read: the client holds back commands sent while it reads
                .onComplete(result -> loop.runOnContext(ignored -> {
                    used.answered(call.size(), isInTime(call));
                    replied(used, call, withText, result);
                }));
    }

    private static boolean isInTime(Batch call) {
        for (MergedRequest entry : call.entries()) {
            if (entry.lastWaiting() != null) {
                return true;
            }
        }
        return false;
    }

    private void replied(ScriptConnection used, Batch call, boolean withText, AsyncResult<Response> result) {
        if (result.succeeded()) {
            answer(used, call, result.result());
        } else if (used != link.connection() || isConnectionLost(result.cause())) {
            RedisStoreException lost = new RedisStoreException("The connection to Redis was lost", result.cause());
            if (fail(call.pending(), lost)) {
                outage.begin(lost);
            }
            link.lost(used, lost);
            return;
        } else if (!withText && result.cause().getMessage().startsWith("NOSCRIPT")) {
            List<PendingRequest> questions = call.pending();
            questions.removeIf(PendingRequest::isAnswered);
            if (!questions.isEmpty()) {
                send(Batch.of(questions), true);
            }
        } else if (!follow(call.pending(), result.cause().getMessage())) {
            return;
        }
        deadlines.forgetAnswered();
        // new requests wait until the other replies that were read are processed
        if (!flushing) {
            flush();
        }
    }

    /** Whether this Redis can still be used after this error. */
    private boolean follow(List<PendingRequest> questions, String error) {
        questions.removeIf(PendingRequest::isAnswered);
        boolean goesOn = redirections.follow(questions, error);
        if (!goesOn || !questions.isEmpty()) {
            RedisStoreException denied = RedisStoreException.denied(error);
            outage.denied(denied);
            for (PendingRequest question : questions) {
                question.deny(denied);
            }
            if (!goesOn) {
                link.leave(denied);
            }
        }
        return goesOn;
    }

    private void answer(ScriptConnection used, Batch call, Response reply) {
        RedisStoreException denied = null;
        PendingRequest inTime = null;
        ReplyReader answers = new ReplyReader(reply);
        script.answered(answers.time());
        for (MergedRequest entry : call.entries()) {
            PendingRequest last = entry.lastWaiting();
            String error = entry.complete(answers);
            if (error == null && last != null) {
                inTime = last;
            }
            for (PendingRequest pending : error == null ? List.<PendingRequest> of() : entry.requests()) {
                if (error.startsWith(OTHER_TIME) && pending.repeat()) {
                    pending.sent = false;
                    waiting.add(pending);
                } else {
                    denied = RedisStoreException.denied(error);
                    outage.denied(denied);
                    pending.deny(denied);
                }
            }
        }
        if (denied == null && inTime != null) {
            link.worked(inTime.deadline.began());
        } else if (denied != null && denied.saysReadOnly() && used == link.connection()) {
            link.leave(denied);
        }
    }

    /** Every error from Redis is an {@link ErrorType}, and so are some errors that the client creates itself. */
    static boolean isConnectionLost(Throwable cause) {
        return !(cause instanceof ErrorType error) || error.is("CONNECTION_CLOSED") || error.is("ILLEGAL_STATE");
    }

    private void failAll(Throwable cause) {
        settled.complete(null);
        sendUnsent();
        RedisStoreException unavailable = new RedisStoreException("Redis is unavailable", cause);
        for (PendingRequest pending : deadlines.takeAll()) {
            if (pending.queue == this) {
                pending.fail(unavailable);
            } else {
                deadlines.add(pending);
            }
        }
        fail(waiting, unavailable);
        waiting.clear();
    }

    private void expired(List<PendingRequest> late) {
        long now = System.nanoTime();
        late.forEach(PendingRequest::failLate);
        while (!waiting.isEmpty() && waiting.peek().isAnswered()) {
            waiting.poll();
        }
        for (PendingRequest pending : late) {
            pending.queue.leaveIfSilent(now);
        }
    }

    private void leaveIfSilent(long now) {
        link.leaveIfOutdated();
        if (link.isSilent(now, timeout)) {
            link.leave(new RedisStoreException("Nothing was answered in time"));
        }
    }

    /** Fails all requests; returns whether any of them was still waiting for its reply. */
    private static boolean fail(Iterable<PendingRequest> questions, RedisStoreException failure) {
        boolean any = false;
        for (PendingRequest pending : questions) {
            any |= !pending.isAnswered();
            pending.fail(failure);
        }
        return any;
    }
}
