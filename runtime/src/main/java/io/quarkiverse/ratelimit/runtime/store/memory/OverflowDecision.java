package io.quarkiverse.ratelimit.runtime.store.memory;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.function.BiFunction;

import io.quarkiverse.ratelimit.runtime.algorithm.LimitReply;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationResult;
import io.quarkiverse.ratelimit.runtime.algorithm.ScriptFile;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.LimitOperation;

/**
 * Decides a call in which one of several policies is enough. {@code overflow.lua} explains the rule and implements the same.
 */
final class OverflowDecision {

    private final List<LimitOperation> operations;
    private final BiFunction<Integer, List<LimitReply>, OperationResult> store;
    private final List<LimitReply> replies;
    /** The operations that are charged if nothing denies the call. */
    private final BitSet pays = new BitSet();
    /** Groups with a denial, by their characters. */
    private final BitSet denied = new BitSet();

    /** @param store runs the operation of an index; gets the replies to the operations before it */
    OverflowDecision(List<LimitOperation> operations, BiFunction<Integer, List<LimitReply>, OperationResult> store) {
        this.operations = operations;
        this.store = store;
        this.replies = new ArrayList<>(Collections.nCopies(operations.size(), null));
        for (int index = 0; index < operations.size();) {
            index = operations.get(index).isOfChain() ? askChain(index) : ask(index);
        }
        for (int i = 0; i < replies.size(); i++) {
            if (replies.get(i) == null) {
                replies.set(i, operations.get(i).operation().reply(LimitReply.NOT_ASKED, 0, 0, 0, 0));
            }
        }
    }

    List<LimitReply> replies() {
        return replies;
    }

    /** Returns whether an operation that grants permits is charged. */
    boolean charges(int index) {
        return pays.get(index) && !denied.get(LimitOperation.ENFORCED) && !denied.get(operations.get(index).group());
    }

    /** Runs an operation outside of chains. Returns the index after it. */
    private int ask(int index) {
        pays.set(index);
        if (!allows(index, replies.subList(0, index))) {
            denied.set(operations.get(index).group());
        }
        return index + 1;
    }

    private boolean allows(int index, List<LimitReply> before) {
        replies.set(index, store.apply(index, before).reply());
        return replies.get(index).granted() != 0;
    }

    /** Asks the policies of the chain that begins at this index. Returns the index after it. */
    private int askChain(int begin) {
        char start = operations.get(begin).group();
        boolean paid = false, blocked = false;
        int next = begin;
        do {
            int from = next;
            char group = operations.get(from).group();
            boolean asked = !paid && !blocked, allowed = asked;
            for (; next < operations.size() && operations.get(next).group() == group; next++) {
                if (asked) {
                    // without replies, a penalty counts nothing
                    allowed &= allows(next, isPenalty(next) ? List.of() : replies.subList(0, next));
                    blocked |= from == begin && start != LimitOperation.OVERFLOW && isPenalty(next)
                            && replies.get(next).granted() == 0;
                }
            }
            pays.set(from, next, allowed);
            paid |= allowed;
        } while (next < operations.size() && operations.get(next).isOfOverflow());
        if (blocked || !paid && (start == LimitOperation.CHAIN || start == LimitOperation.OVERFLOW)) {
            denied.set(LimitOperation.ENFORCED);
            if (!blocked) {
                countDenials(begin, next);
            }
        }
        return next;
    }

    private void countDenials(int begin, int end) {
        for (int i = begin; i < end; i++) {
            if (isPenalty(i) && replies.get(i).granted() != 0) {
                allows(i, replies.subList(0, i));
            }
        }
    }

    private boolean isPenalty(int index) {
        return operations.get(index).operation().function() == ScriptFile.PENALTY_APPLY;
    }
}
