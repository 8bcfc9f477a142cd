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
 * Asks Redis over one connection that belongs to one event loop: the questions of one turn of the loop go out as one
 * call of the script, many as several, in each of which equal ones are one. Everything but {@link #ask} runs on that loop.
 *
 * <p>
 * A call is one command, so an error that Redis answers means that nothing of it was counted. A call that is not
 * answered is never sent again. Questions that are not answered in time fail; when nothing else was answered in time
 * meanwhile, the connection is given up, and until a new one stands questions fail at once.
 */
final class Lane implements Asker {

    private static final int MAX_WAITING = 10_000;
    /** So many do not wait for the end of the turn: a Redis with little to do decides them while the loop goes on. */
    private static final int ENOUGH = 32;
    /** Begins a script's error that says that its arguments were made for another time than Redis' own. */
    private static final String OTHER_TIME = "OTHERTIME";

    private final ContextInternal loop;
    private final long timeout;
    private final DecideScript script;
    private final Outage outage;
    private final Redirections redirections;
    private final Link link;
    private final Deadlines deadlines;
    private final ArrayDeque<Pending> waiting = new ArrayDeque<>();
    /** Commands of their own that wait for a connection. */
    private final ArrayDeque<Runnable> unsent = new ArrayDeque<>();
    private final AtomicBoolean opening = new AtomicBoolean();
    private final CompletableFuture<Void> settled = new CompletableFuture<>();
    private boolean flushing;
    private volatile boolean opened;

    /** @param timeout how many nanoseconds a decision may take */
    Lane(ContextInternal loop, RedisConnector connector, DecideScript script, Outage outage, Redirections redirections,
            long timeout) {
        this.loop = loop;
        this.timeout = timeout;
        this.script = script;
        this.outage = outage;
        this.redirections = redirections;
        this.link = new Link(loop, connector, outage, timeout, this::opened, this::failAll);
        this.deadlines = new Deadlines(loop, this::expired);
    }

    /** Answers the question or fails it, at the latest at its deadline. */
    @Override
    public void ask(Pending pending) {
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

    /** @param asking whether the node is about to get the slot that the command concerns */
    void send(Request request, boolean asking, UniEmitter<? super Response> caller) {
        loop.runOnContext(ignored -> {
            connected(() -> sendNow(request, asking, caller));
            deadlines.when(System.nanoTime() + timeout, () -> {
                // nobody waits for a decision, so connecting may take its time
                if (link.connection() != null) {
                    leaveIfSilent(System.nanoTime());
                }
            });
        });
    }

    /** Runs the task when a connection stands or Redis is away. */
    private void connected(Runnable task) {
        if (!link.isAway()) {
            link.connect();
        }
        unsent.add(task);
        if (link.isAway() || link.connection() != null) {
            sendUnsent();
        }
    }

    boolean isAway() {
        return link.isAway();
    }

    private void sendNow(Request request, boolean asking, UniEmitter<? super Response> caller) {
        LaneConnection used = link.connection();
        if (used == null || !used.takesCalls()) {
            caller.fail(new RedisStoreException("Redis is away"));
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

    /** Connects ahead of the first question; completes when Redis is connected or known to be away. */
    @Override
    public CompletionStage<Void> open() {
        if (opening.compareAndSet(false, true)) {
            loop.runOnContext(ignored -> link.connect());
        }
        return settled;
    }

    /** Whether it has been connected before. */
    @Override
    public boolean hasOpened() {
        return opened;
    }

    @Override
    public void close() {
        loop.runOnContext(ignored -> link.close(new RedisStoreException("The application is stopping")));
    }

    /** Closes it unless an answer is still to come. */
    boolean closeIfIdle() {
        boolean idle = unsent.isEmpty() && waiting.isEmpty() && (link.connection() == null || link.connection().isIdle());
        if (idle) {
            close();
        }
        return idle;
    }

    private void accept(Pending pending) {
        if (link.isAway()) {
            pending.fail(new RedisStoreException("Redis is away"));
        } else if (waiting.size() >= MAX_WAITING) {
            RedisStoreException full = RedisStoreException.full();
            outage.refused(full);
            pending.fail(full);
        } else {
            pending.lane = this;
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
            ScriptCall call = new ScriptCall(waiting.size());
            long now = System.nanoTime();
            Pending first = waiting.peek();
            while (!waiting.isEmpty() && waiting.peek().goesWith(first)) {
                Pending next = waiting.peek();
                // who is late will be told so by the deadlines
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

    private void send(ScriptCall call, boolean withText) {
        LaneConnection used = link.connection();
        used.sent(call.size());
        for (Entry entry : call.entries()) {
            entry.sent();
        }
        if (call.isAsking()) {
            used.redis().send(Request.cmd(Command.ASKING));
        }
        used.redis().send(withText ? script.eval(call.asked()) : script.evalsha(call.asked()))
                // once the connection has been read: what is asked before that is kept back until all is read
                .onComplete(result -> loop.runOnContext(ignored -> {
                    used.answered(call.size(), isInTime(call));
                    replied(used, call, withText, result);
                }));
    }

    private static boolean isInTime(ScriptCall call) {
        for (Entry entry : call.entries()) {
            if (entry.lastWaiting() != null) {
                return true;
            }
        }
        return false;
    }

    private void replied(LaneConnection used, ScriptCall call, boolean withText, AsyncResult<Response> result) {
        if (result.succeeded()) {
            answer(used, call, result.result());
        } else if (used != link.connection() || isConnectionLost(result.cause())) {
            RedisStoreException lost = new RedisStoreException("The connection to Redis was lost", result.cause());
            if (fail(call.questions(), lost)) {
                outage.begin(lost);
            }
            link.lost(used, lost);
            return;
        } else if (!withText && result.cause().getMessage().startsWith("NOSCRIPT")) {
            List<Pending> questions = call.questions();
            questions.removeIf(Pending::isAnswered);
            if (!questions.isEmpty()) {
                send(ScriptCall.of(questions), true);
            }
        } else if (!follow(call.questions(), result.cause().getMessage())) {
            return;
        }
        deadlines.forgetAnswered();
        // what is asked meanwhile waits for the other answers that have been read
        if (!flushing) {
            flush();
        }
    }

    /** Whether this Redis goes on being asked after such an error. */
    private boolean follow(List<Pending> questions, String error) {
        questions.removeIf(Pending::isAnswered);
        boolean goesOn = redirections.follow(questions, error);
        if (!goesOn || !questions.isEmpty()) {
            RedisStoreException refused = RedisStoreException.refused(error);
            outage.refused(refused);
            for (Pending question : questions) {
                question.refuse(refused);
            }
            if (!goesOn) {
                link.leave(refused);
            }
        }
        return goesOn;
    }

    private void answer(LaneConnection used, ScriptCall call, Response reply) {
        RedisStoreException refused = null;
        Pending inTime = null;
        Reply answers = new Reply(reply);
        script.answered(answers.time());
        for (Entry entry : call.entries()) {
            Pending last = entry.lastWaiting();
            String error = entry.answer(answers);
            if (error == null && last != null) {
                inTime = last;
            }
            for (Pending pending : error == null ? List.<Pending> of() : entry.questions()) {
                if (error.startsWith(OTHER_TIME) && pending.repeat()) {
                    pending.sent = false;
                    waiting.add(pending);
                } else {
                    refused = RedisStoreException.refused(error);
                    outage.refused(refused);
                    pending.refuse(refused);
                }
            }
        }
        if (refused == null && inTime != null) {
            link.worked(inTime.asked);
        } else if (refused != null && refused.saysReadOnly() && used == link.connection()) {
            link.leave(refused);
        }
    }

    /** Every error that Redis answers is an {@link ErrorType}, and so are those that the client makes up. */
    static boolean isConnectionLost(Throwable cause) {
        return !(cause instanceof ErrorType error) || error.is("CONNECTION_CLOSED") || error.is("ILLEGAL_STATE");
    }

    private void failAll(Throwable cause) {
        settled.complete(null);
        sendUnsent();
        RedisStoreException away = new RedisStoreException("Redis is away", cause);
        for (Pending pending : deadlines.takeAll()) {
            if (pending.lane == this) {
                pending.fail(away);
            } else {
                deadlines.add(pending);
            }
        }
        fail(waiting, away);
        waiting.clear();
    }

    private void expired(List<Pending> late) {
        long now = System.nanoTime();
        late.forEach(Pending::failLate);
        while (!waiting.isEmpty() && waiting.peek().isAnswered()) {
            waiting.poll();
        }
        for (Pending pending : late) {
            pending.lane.leaveIfSilent(now);
        }
    }

    private void leaveIfSilent(long now) {
        link.leaveIfOutdated();
        if (link.isSilent(now, timeout)) {
            link.leave(new RedisStoreException("Nothing was answered in time"));
        }
    }

    /** Whether any of them was still waiting for its answer. */
    private static boolean fail(Iterable<Pending> questions, RedisStoreException failure) {
        boolean any = false;
        for (Pending pending : questions) {
            any |= !pending.isAnswered();
            pending.fail(failure);
        }
        return any;
    }
}
