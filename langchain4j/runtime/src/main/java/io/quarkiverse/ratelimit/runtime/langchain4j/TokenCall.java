package io.quarkiverse.ratelimit.runtime.langchain4j;

import java.util.UUID;
import java.util.concurrent.Callable;

import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.model.output.TokenUsage;
import io.quarkiverse.ratelimit.runtime.engine.decision.Outcome;

/** Counts the tokens that one call of an AI service uses. It may call its model several times, for example with tools. */
final class TokenCall {

    private static final ThreadLocal<TokenCall> CURRENT = new ThreadLocal<>();

    private final boolean streaming;
    private final long promptTokens;
    private Outcome reserved;
    private UUID invocation;
    private ChatResponse last;
    private boolean modelRuns, ended;
    private long used, produced;

    /** @param promptTokens the estimated tokens of the prompt */
    TokenCall(boolean streaming, long promptTokens) {
        this.streaming = streaming;
        this.promptTokens = promptTokens;
    }

    /** The call that runs on this thread; {@code null} for none. */
    static TokenCall current() {
        return CURRENT.get();
    }

    /** Does work of this call on this thread. */
    <T> T run(Callable<T> work) throws Exception {
        TokenCall outer = CURRENT.get();
        CURRENT.set(this);
        try {
            return work.call();
        } finally {
            if (outer == null) {
                CURRENT.remove();
            } else {
                CURRENT.set(outer);
            }
        }
    }

    /** Whether the call still runs when its tokens are reserved. */
    synchronized boolean reserved(Outcome outcome) {
        reserved = outcome;
        return !ended;
    }

    /** What the call has reserved; {@code null} for nothing yet. */
    synchronized Outcome reserved() {
        return reserved;
    }

    /** Ends the call, and returns what it has reserved; {@code null} if it has ended before, or has reserved nothing yet. */
    synchronized Outcome end() {
        Outcome first = ended ? null : reserved;
        ended = true;
        return first;
    }

    /** Whether this is the first invocation of a stream by this call. Others inside of it are not counted by their events. */
    synchronized boolean startsStream(UUID id) {
        if (!streaming || ended || invocation != null) {
            return false;
        }
        invocation = id;
        modelRuns = true;
        return true;
    }

    synchronized boolean hasEnded() {
        return ended;
    }

    /** The invocation of the stream; {@code null} for none. */
    synchronized UUID invocation() {
        return invocation;
    }

    /** A part of a response, which counts unless the model reports its usage later. */
    synchronized void produced(String text) {
        produced += TokenEstimate.of(text);
    }

    /** The response of a stream. After requests for tools the model runs again. */
    synchronized void streamed(ChatResponse response) {
        used(response);
        produced = 0;
        modelRuns = response.aiMessage().hasToolExecutionRequests();
    }

    /** A response that the model may have reported to its listeners before. */
    synchronized void returned(ChatResponse response) {
        if (!streaming && response != last) {
            used(response);
        }
    }

    /** A response of the model. If it reports no usage, the prompt and the text are estimated. */
    synchronized void used(ChatResponse response) {
        last = response;
        long reported = reported(response.tokenUsage());
        used += reported > 0 ? reported : promptTokens + TokenEstimate.of(response.aiMessage().text());
    }

    /** 0 for no usage: some servers report zeros instead, or no total. */
    private static long reported(TokenUsage usage) {
        return usage == null ? 0
                : Math.max(number(usage.totalTokenCount()),
                        number(usage.inputTokenCount()) + number(usage.outputTokenCount()));
    }

    private static long number(Integer count) {
        return count == null ? 0 : count;
    }

    /**
     * The tokens used so far. A model call without a response counts its prompt and what it has produced, unless it failed
     * before it produced anything.
     */
    synchronized long used(boolean failed) {
        return used + (modelRuns && (!failed || produced > 0) ? promptTokens + produced : 0);
    }
}
