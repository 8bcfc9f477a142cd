package io.quarkiverse.ratelimit.runtime.redis;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.subscription.UniEmitter;
import io.vertx.core.impl.ContextInternal;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import io.vertx.redis.client.impl.ZModem;

/**
 * Asks the masters of a cluster, each over a lane of its own, from one event loop. Where a slot has moved the question
 * follows; who has which slot is looked up again then, and while a master is away.
 */
final class ClusterLane implements Asker, Redirections {

    /** How many milliseconds later a question is asked again whose slot is being moved or has no master yet. */
    private static final long PAUSE = 10;
    private static final int MAX_TRIES = 5;
    private static final String STOPPING = "The application is stopping";
    private static final Duration LONGEST_LOOK = Duration.ofMillis(500);

    private final ContextInternal loop;
    private final ClusterNodes nodes;
    private final ClusterSlots slots;
    private final DecideScript script;
    private final Map<String, Lane> lanes = new HashMap<>();
    private final CompletableFuture<Void> settled = new CompletableFuture<>();
    private boolean opening, looking, closed;
    private volatile boolean opened;

    ClusterLane(ContextInternal loop, ClusterNodes nodes, ClusterSlots slots, DecideScript script) {
        this.loop = loop;
        this.nodes = nodes;
        this.slots = slots;
        this.script = script;
    }

    @Override
    public void ask(Pending pending) {
        if (loop.inThread()) {
            accept(pending);
        } else {
            loop.runOnContext(ignored -> accept(pending));
        }
    }

    private void accept(Pending pending) {
        if (closed) {
            pending.fail(new RedisStoreException(STOPPING));
        } else {
            pending.slot = script.slot(pending);
            lane(pending.slot).ask(pending);
        }
    }

    @Override
    public void send(String key, Request request, UniEmitter<? super Response> caller) {
        loop.runOnContext(ignored -> send(ZModem.generate(key), request, MAX_TRIES).subscribe().with(caller::complete,
                caller::fail));
    }

    private Uni<Response> send(int slot, Request request, int tries) {
        if (closed) {
            return Uni.createFrom().failure(new RedisStoreException(STOPPING));
        }
        return Uni.createFrom().<Response> emitter(caller -> lane(slot).send(null, request, caller))
                .onFailure(failure -> tries > 1 && moved(String.valueOf(failure.getMessage())))
                .recoverWithUni(() -> send(slot, request, tries - 1));
    }

    private Lane lane(int slot) {
        Lane lane = lane(slots.master(slot));
        if (lane.isAway()) {
            look();
        }
        return lane;
    }

    private Lane lane(String address) {
        return lanes.computeIfAbsent(address, created -> new Lane(loop, new RedisConnector(() -> nodes.client(created)),
                script, slots.outage(created), this));
    }

    @Override
    public boolean follow(List<Pending> questions, String error) {
        if (error.startsWith("TRYAGAIN") || error.startsWith("CLUSTERDOWN")) {
            look();
            loop.setTimer(PAUSE, ignored -> again(questions));
        } else if (error.startsWith("ASK ")) {
            questions.removeIf(question -> !question.redirect());
            if (!questions.isEmpty()) {
                lane(addressOf(error)).askInAdvance(questions);
            }
        } else if (moved(error)) {
            again(questions);
        } else {
            return false;
        }
        return true;
    }

    private void again(List<Pending> questions) {
        for (Pending question : questions) {
            if (question.redirect()) {
                accept(question);
            } else {
                question.fail(new RedisStoreException("Redis has sent the question around in circles"));
            }
        }
    }

    /** Whether an error says where a slot has gone. */
    private boolean moved(String error) {
        if (!error.startsWith("MOVED ")) {
            return false;
        }
        slots.moved(Integer.parseInt(error.split(" ")[1]), addressOf(error));
        look();
        return true;
    }

    /** What a redirection such as {@code MOVED 3999 127.0.0.1:6381} leads to. */
    private String addressOf(String error) {
        String address = error.split(" ")[2];
        int colon = address.lastIndexOf(':');
        return ClusterSlots.address(address.substring(0, colon), address.substring(colon + 1), host(slots.master(0)));
    }

    private static String host(String address) {
        return address.substring(0, address.lastIndexOf(':'));
    }

    /** Looks who has which slot. */
    private void look() {
        if (!looking && !closed && slots.mayLook()) {
            looking = true;
            look(List.copyOf(slots.nodes()), 0);
        }
    }

    /** Asks one node after the other until one answers. */
    private void look(List<String> addresses, int next) {
        if (closed || next == addresses.size()) {
            looked();
            return;
        }
        String address = addresses.get(next);
        Uni.createFrom().<Response> emitter(caller -> lane(address).send(null,
                Request.cmd(Command.CLUSTER).arg("SLOTS"), caller))
                .ifNoItem().after(LONGEST_LOOK).fail().emitOn(task -> loop.runOnContext(ignored -> task.run()))
                .subscribe().with(seen -> {
                    slots.saw(seen, host(address));
                    opened = true;
                    forgetLeft();
                    looked();
                }, away -> look(addresses, next + 1));
    }

    private void looked() {
        looking = false;
        settled.complete(null);
    }

    private void forgetLeft() {
        lanes.entrySet().removeIf(lane -> {
            boolean left = !slots.nodes().contains(lane.getKey());
            if (left) {
                lane.getValue().close();
            }
            return left;
        });
    }

    @Override
    public CompletionStage<Void> open() {
        loop.runOnContext(ignored -> {
            if (!opening) {
                opening = true;
                looking = true;
                look(List.copyOf(slots.nodes()), 0);
            }
        });
        return settled;
    }

    @Override
    public boolean hasOpened() {
        return opened;
    }

    @Override
    public void close() {
        loop.runOnContext(ignored -> {
            closed = true;
            lanes.values().forEach(Lane::close);
        });
    }
}
