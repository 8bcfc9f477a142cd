package io.quarkiverse.ratelimit.runtime.redis;

import java.util.ArrayList;
import java.util.List;

import io.quarkiverse.ratelimit.runtime.store.Question;

/** One question to the script, on behalf of all that have asked the same; they get permits in the order of asking. */
final class Entry {

    final Pending first;
    private List<Pending> others = List.of();

    Entry(Pending first) {
        this.first = first;
    }

    void add(Pending equal) {
        if (others.isEmpty()) {
            others = new ArrayList<>();
        }
        others.add(equal);
    }

    List<Pending> questions() {
        List<Pending> questions = new ArrayList<>(1 + others.size());
        questions.add(first);
        questions.addAll(others);
        return questions;
    }

    /** It is on its way. */
    void sent() {
        first.sent = true;
        for (int i = 0; i < others.size(); i++) {
            others.get(i).sent = true;
        }
    }

    /** The last to have asked of those that still wait for the answer, {@code null} when nobody does. */
    Pending lastWaiting() {
        for (int i = others.size() - 1; i >= 0; i--) {
            if (!others.get(i).isAnswered()) {
                return others.get(i);
            }
        }
        return first.isAnswered() ? null : first;
    }

    /** What the script is asked. */
    Question question() {
        return others.isEmpty() ? first.question : first.question.times(1 + others.size());
    }

    /** Answers all of them by what the script has replied to the one; or says why it was not decided. */
    String answer(Reply reply) {
        String error = reply.errorOfNext();
        if (error == null) {
            long[] numbers = reply.next(first.limits);
            long[] answer = others.isEmpty() ? numbers : first.question.split(numbers);
            first.answer(answer);
            for (int i = 0; i < others.size(); i++) {
                // a refusal leaves what there is to the next one, who is refused by the same numbers
                if (first.question.admitted(answer)) {
                    answer = first.question.split(numbers);
                }
                others.get(i).answer(answer);
            }
        }
        return error;
    }
}
