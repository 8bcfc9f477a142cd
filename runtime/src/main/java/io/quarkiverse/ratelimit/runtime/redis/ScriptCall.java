package io.quarkiverse.ratelimit.runtime.redis;

import java.util.ArrayList;
import java.util.List;

import io.quarkiverse.ratelimit.runtime.store.Question;

/**
 * The questions that go out as one call of the script, in the order of asking but for those that are asked alike, which
 * follow each other; those that are equal are one entry.
 */
final class ScriptCall {

    /** So that Redis is not held up. */
    private static final int MAX_ENTRIES = 64;
    /** So that the event loop is not held up by their answers. */
    private static final int MAX_QUESTIONS = 1_024;
    private static final int NOWHERE = -1;

    private final int most;
    private final List<Entry> entries;
    /** The entries that others can join, each at its hash or behind; at most half full. */
    private final Entry[] mergeable;
    private int size;

    /** @param waiting how many questions there are for it */
    ScriptCall(int waiting) {
        most = Math.min(waiting, MAX_ENTRIES);
        entries = new ArrayList<>(most);
        mergeable = new Entry[Integer.highestOneBit(most) * 4];
    }

    /** A call of questions that have been in one before. */
    static ScriptCall of(List<Pending> questions) {
        ScriptCall call = new ScriptCall(questions.size());
        questions.forEach(call::add);
        return call;
    }

    /** Whether there was room for one more. */
    boolean add(Pending pending) {
        int place = most > 1 && pending.question.isMergeable() ? place(pending.question) : NOWHERE;
        boolean joins = place != NOWHERE && mergeable[place] != null;
        if (size == MAX_QUESTIONS || !joins && entries.size() == most) {
            return false;
        }
        size++;
        if (joins) {
            mergeable[place].add(pending);
            return true;
        }
        Entry entry = new Entry(pending);
        entries.add(behindAlike(pending.question), entry);
        if (place != NOWHERE) {
            mergeable[place] = entry;
        }
        return true;
    }

    /** What differs only by its keys goes out together, as it is said once. */
    private int behindAlike(Question question) {
        int place = entries.size();
        while (place > 0 && !entries.get(place - 1).first.question.asksAs(question)) {
            place--;
        }
        return place > 0 ? place : entries.size();
    }

    /** Where the entry is that asks the same, or where there is room for it. */
    private int place(Question question) {
        int hash = question.hashCode();
        int place = hash ^ hash >>> 16;
        while (true) {
            place &= mergeable.length - 1;
            if (mergeable[place] == null || mergeable[place].first.question.equals(question)) {
                return place;
            }
            place++;
        }
    }

    boolean isEmpty() {
        return size == 0;
    }

    /** How many questions it carries. */
    int size() {
        return size;
    }

    /** Whether it goes to a node that is about to get the slot. */
    boolean isAsking() {
        return entries.get(0).first.asking;
    }

    List<Entry> entries() {
        return entries;
    }

    /** All its questions, in a list of their own. */
    List<Pending> questions() {
        List<Pending> questions = new ArrayList<>(size);
        for (Entry entry : entries) {
            questions.addAll(entry.questions());
        }
        return questions;
    }

    /** What the script is asked. */
    List<Question> asked() {
        List<Question> asked = new ArrayList<>(entries.size());
        for (Entry entry : entries) {
            asked.add(entry.question());
        }
        return asked;
    }
}
