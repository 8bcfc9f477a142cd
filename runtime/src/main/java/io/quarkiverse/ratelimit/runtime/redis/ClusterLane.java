package io.quarkiverse.ratelimit.runtime.redis;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.subscription.UniEmitter;
import io.vertx.core.impl.ContextInternal;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import io.vertx.redis.client.impl.ZModem;

/**
 * Asks the masters of a cluster, each over a lane of its own, from one event loop. Where a slot has moved the question
 * follows; who has which slot is looked up again then, and while a master is away.
 *
 * <p>
 * While a slot moves from one master to another, a call is decided by the one that has all of its keys. As that may not be
 * the same for all questions of a call, they are asked one by one then.
 */
final class ClusterLane implements Asker {

    /** How many milliseconds later a question is asked again that needs keys of which some have moved and some have not. */
    private static final long PAUSE = 10;
    private static final int MAX_TRIES = 5;

    private final ContextInternal loop;
    private final ClusterSlots slots;
    private final DecideScript script;
    private final MasterLanes lanes;

    /** @param timeout how many nanoseconds a decision may take */
    ClusterLane(ContextInternal loop, RedisNodes nodes, ClusterSlots slots, DecideScript script, long timeout) {
        this.loop = loop;
        this.slots = slots;
        this.script = script;
        this.lanes = new MasterLanes(loop, nodes, slots,
                address -> new Lane(loop, new RedisConnector(Place.only(() -> nodes.client(address))), script,
                        slots.outage(address),
                        (questions, error) -> follow(questions, error, address), timeout));
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
        if (lanes.areClosed()) {
            pending.fail(stopping());
        } else {
            pending.slot = script.slot(pending.question);
            pending.asking = false;
            pending.sent = false;
            lanes.of(pending.slot).ask(pending);
        }
    }

    /** Does what {@link Redirections#follow} says, where the node at {@code from} has answered so. */
    private boolean follow(List<Pending> questions, String error, String from) {
        Redirection to = Redirection.of(error, from);
        if (to == null && !error.startsWith("TRYAGAIN")) {
            lanes.look();
            return error.startsWith("CLUSTERDOWN Hash slot");
        }
        boolean one = questions.size() == 1;
        List<Pending> followed = questions.stream().filter(Pending::redirect).toList();
        questions.removeAll(followed);
        if (to != null && to.forGood()) {
            moved(to);
            followed.forEach(this::accept);
        } else if (to != null && one) {
            followed.forEach(question -> askInAdvance(question, to.address()));
        } else {
            followed.forEach(question -> question.alone = true);
            loop.setTimer(to == null ? PAUSE : 1, ignored -> followed.forEach(this::accept));
        }
        return true;
    }

    private void moved(Redirection to) {
        slots.moved(to.slot(), to.address());
        lanes.look();
    }

    /** Asks a node that is about to get the question's slot. */
    private void askInAdvance(Pending question, String address) {
        question.asking = true;
        question.sent = false;
        question.alone = true;
        lanes.at(address).ask(question);
    }

    @Override
    public void send(String key, Request request, UniEmitter<? super Response> caller) {
        int slot = ZModem.generate(key);
        loop.runOnContext(ignored -> send(new Redirection(true, slot, slots.master(slot)), request, MAX_TRIES)
                .subscribe().with(caller::complete, caller::fail));
    }

    private Uni<Response> send(Redirection to, Request request, int tries) {
        if (lanes.areClosed()) {
            return Uni.createFrom().failure(stopping());
        }
        Lane lane = to.forGood() ? lanes.of(to.slot()) : lanes.at(to.address());
        return Uni.createFrom().<Response> emitter(caller -> lane.send(request, !to.forGood(), caller))
                .onFailure().recoverWithUni(failure -> {
                    Redirection next = Redirection.of(String.valueOf(failure.getMessage()), to.address());
                    if (next == null || tries == 1) {
                        return Uni.createFrom().failure(failure);
                    }
                    if (next.forGood()) {
                        moved(next);
                    }
                    return send(next, request, tries - 1);
                });
    }

    @Override
    public CompletionStage<Void> open() {
        CompletableFuture<Void> settled = new CompletableFuture<>();
        loop.runOnContext(ignored -> lanes.open().thenAccept(settled::complete));
        return settled;
    }

    @Override
    public boolean hasOpened() {
        return lanes.hasOpened();
    }

    @Override
    public void close() {
        loop.runOnContext(ignored -> lanes.close());
    }

    private static RedisStoreException stopping() {
        return new RedisStoreException("The application is stopping");
    }
}
