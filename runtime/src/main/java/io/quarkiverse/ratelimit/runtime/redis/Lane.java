package io.quarkiverse.ratelimit.runtime.redis;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.vertx.core.AsyncResult;
import io.vertx.core.impl.ContextInternal;
import io.vertx.redis.client.Response;

/**
 * Asks Redis over one connection that belongs to one event loop: all questions of one turn of the loop go out as one
 * call of the script. Everything but {@link #ask} runs on that loop.
 *
 * <p>
 * A call is one command, so an error that Redis answers means that nothing of it was counted. A call that is not
 * answered is never sent again. Questions that are not answered in time fail; when nothing at all was answered in the
 * meantime, the connection is given up, and until a new one stands questions fail at once.
 */
final class Lane {

    /** How many questions one call may carry, so that Redis is not held up. */
    private static final int MAX_QUESTIONS = 64;
    /** How many calls may be unanswered; what is asked beyond that waits and makes larger calls. */
    private static final int MAX_CALLS = 32;
    private static final int MAX_WAITING = 10_000;

    private final ContextInternal loop;
    private final RedisConnector connector;
    private final DecideScript script;
    private final Outage outage;
    private final Backoff backoff = new Backoff();
    private final ArrayDeque<Pending> waiting = new ArrayDeque<>();
    private final ArrayDeque<Pending> byDeadline = new ArrayDeque<>();
    private LaneConnection connection;
    private boolean connecting, away, closed, flushing, watching;
    private long lastReply;

    Lane(ContextInternal loop, RedisConnector connector, DecideScript script, Outage outage) {
        this.loop = loop;
        this.connector = connector;
        this.script = script;
        this.outage = outage;
    }

    /** Answers the question or fails it, at the latest at its deadline. */
    void ask(Pending pending) {
        if (loop.inThread()) {
            accept(pending);
        } else {
            loop.runOnContext(ignored -> accept(pending));
        }
    }

    void open() {
        loop.runOnContext(ignored -> connect());
    }

    void close() {
        loop.runOnContext(ignored -> {
            closed = true;
            giveUp(new RedisStoreException("The application is stopping"));
        });
    }

    private void accept(Pending pending) {
        if (away || closed) {
            pending.fail(new RedisStoreException("Redis is away"));
        } else if (waiting.size() >= MAX_WAITING) {
            pending.fail(new RedisStoreException("Too many decisions wait for Redis"));
        } else {
            waiting.add(pending);
            byDeadline.add(pending);
            watch();
            if (connection == null && !connecting) {
                loop.runOnContext(ignored -> connect());
            } else if (connection != null && !flushing) {
                flushing = true;
                loop.runOnContext(ignored -> flush());
            }
        }
    }

    private void flush() {
        flushing = false;
        while (connection != null && connection.unanswered < MAX_CALLS && !waiting.isEmpty()) {
            List<Pending> questions = new ArrayList<>(Math.min(waiting.size(), MAX_QUESTIONS));
            while (questions.size() < MAX_QUESTIONS && !waiting.isEmpty()) {
                Pending next = waiting.poll();
                if (!next.isAnswered()) {
                    questions.add(next);
                }
            }
            if (!questions.isEmpty()) {
                send(questions, false);
            }
        }
    }

    private void send(List<Pending> questions, boolean withText) {
        LaneConnection used = connection;
        used.unanswered++;
        used.redis().send(withText ? script.eval(questions) : script.evalsha(questions))
                .onComplete(result -> {
                    used.unanswered--;
                    replied(used, questions, withText, result);
                });
    }

    private void replied(LaneConnection used, List<Pending> questions, boolean withText, AsyncResult<Response> result) {
        if (used != connection) {
            fail(questions, new RedisStoreException("The connection to Redis was lost", result.cause()));
            return;
        }
        lastReply = System.nanoTime();
        if (result.succeeded()) {
            int at = 0;
            for (Pending pending : questions) {
                at = pending.answer(result.result(), at);
            }
        } else if (!withText && String.valueOf(result.cause().getMessage()).startsWith("NOSCRIPT")) {
            questions.removeIf(Pending::isAnswered);
            if (!questions.isEmpty()) {
                send(questions, true);
            }
        } else {
            fail(questions, new RedisStoreException("Redis refused to count", result.cause()));
        }
        while (!byDeadline.isEmpty() && byDeadline.peek().isAnswered()) {
            byDeadline.poll();
        }
        flush();
    }

    private void connect() {
        if (connecting || closed || connection != null) {
            return;
        }
        connecting = true;
        connector.connect(loop).onComplete(opened -> {
            connecting = false;
            if (opened.failed()) {
                giveUp(opened.cause());
            } else if (closed) {
                opened.result().close();
            } else {
                connected(opened.result());
            }
        });
    }

    private void connected(LaneConnection opened) {
        connection = opened;
        lastReply = System.nanoTime();
        backoff.reset();
        away = false;
        outage.end();
        opened.onLost(() -> {
            if (connection == opened) {
                connection = null;
                opened.close();
                connect();
            }
        });
        flush();
    }

    /** Fails what is asked until a new connection stands. */
    private void giveUp(Throwable cause) {
        LaneConnection lost = connection;
        connection = null;
        if (lost != null) {
            lost.close();
        }
        RedisStoreException failure = new RedisStoreException("Redis is away", cause);
        byDeadline.forEach(pending -> pending.fail(failure));
        byDeadline.clear();
        waiting.clear();
        if (!closed) {
            away = true;
            outage.begin(cause);
            loop.setTimer(backoff.next(), ignored -> connect());
        }
    }

    private void watch() {
        if (!watching && !byDeadline.isEmpty()) {
            watching = true;
            long wait = byDeadline.peek().deadline - System.nanoTime();
            loop.setTimer(Math.max(1, TimeUnit.NANOSECONDS.toMillis(wait) + 1), ignored -> expire());
        }
    }

    private void expire() {
        watching = false;
        long now = System.nanoTime();
        boolean silent = false;
        while (!byDeadline.isEmpty() && (byDeadline.peek().isAnswered() || byDeadline.peek().deadline - now <= 0)) {
            Pending pending = byDeadline.poll();
            if (!pending.isAnswered()) {
                silent |= connection != null && lastReply - pending.asked < 0;
                pending.fail(new RedisStoreException("Redis did not answer in time"));
            }
        }
        if (silent) {
            giveUp(new RedisStoreException("Nothing was answered in time"));
        }
        watch();
    }

    private static void fail(List<Pending> questions, RuntimeException failure) {
        for (Pending pending : questions) {
            pending.fail(failure);
        }
    }
}
