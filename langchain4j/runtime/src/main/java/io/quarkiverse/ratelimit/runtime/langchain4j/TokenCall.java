package io.quarkiverse.ratelimit.runtime.langchain4j;

import java.math.BigDecimal;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.function.ToLongFunction;

import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.model.output.TokenUsage;
import io.quarkiverse.ratelimit.runtime.engine.EstimatedCalls.EstimatedCall;

/**
 * Counts the tokens that one call of an AI service uses, and their price. It may call its model several times, for example
 * with tools.
 */
final class TokenCall {

    private static final ThreadLocal<TokenCall> CURRENT = new ThreadLocal<>();

    private final BudgetedMethod method;
    private final long promptTokens;
    private final EstimatedCall limited;
    private UUID invocation;
    private ChatResponse last;
    private boolean modelRuns;
    private long used, produced;
    private BigDecimal price = BigDecimal.ZERO;
    private RuntimeException unpriced;

    /** @param promptTokens the estimated tokens of the prompt */
    TokenCall(BudgetedMethod method, long promptTokens, EstimatedCall limited) {
        this.method = method;
        this.promptTokens = promptTokens;
        this.limited = limited;
    }

    /** Returns the call that runs on this thread; {@code null} for none. */
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

    /** Returns the same call, as the limiter reserves and settles it. */
    EstimatedCall limited() {
        return limited;
    }

    /** Returns whether this is the first invocation of a stream by this call. Events of inner ones are not counted. */
    synchronized boolean startsStream(UUID id) {
        if (!method.method().streaming() || limited.hasEnded() || invocation != null) {
            return false;
        }
        invocation = id;
        modelRuns = true;
        return true;
    }

    /** Returns the invocation of the stream; {@code null} for none. */
    synchronized UUID invocation() {
        return invocation;
    }

    /** Counts a part of a response, which counts unless the model reports its usage later. */
    synchronized void produced(String text) {
        produced += TokenEstimate.of(text);
    }

    /** Counts the response of a stream. After requests for tools the model runs again. */
    synchronized void streamed(ChatResponse response) {
        used(method.modelName(), response);
        produced = 0;
        modelRuns = response.aiMessage().hasToolExecutionRequests();
    }

    /**
     * Counts a response that the model may have reported to its listeners before.
     *
     * @param service the AI service whose model has responded
     */
    synchronized void returned(String service, ChatResponse response) {
        if (!method.method().streaming() && response != last) {
            used(method.isOf(service) ? method.modelName() : null, response);
        }
    }

    /** Checks that the model of a request has a price. The estimate of this call has shown that its own model has one. */
    synchronized void requests(String model) {
        if (!Objects.equals(model, method.modelName())) {
            price(model, 0, 0);
        }
    }

    /**
     * Counts a response of a model. If it reports no usage, the prompt and the text are estimated.
     *
     * @param model the name of the requested one; {@code null} if it is unknown
     */
    synchronized void used(String model, ChatResponse response) {
        last = response;
        TokenUsage usage = response.tokenUsage() == null ? new TokenUsage() : response.tokenUsage();
        long input = number(usage.inputTokenCount());
        // tokens that are in the total only cost as much as those of the response
        long output = Math.max(number(usage.outputTokenCount()), number(usage.totalTokenCount()) - input);
        if (input + output > 0) {
            count(model, input, output);
        } else {
            // some servers report zeros
            count(model, promptTokens, TokenEstimate.of(response.aiMessage().text()));
        }
        method.warnOfOtherModel(model, response.modelName());
    }

    private static long number(Integer count) {
        return count == null ? 0 : count;
    }

    private void count(String model, long input, long output) {
        used += input + output;
        price(model, input, output);
    }

    private void price(String model, long input, long output) {
        try {
            price = price.add(method.price(model, input, output));
        } catch (RuntimeException e) {
            unpriced = e;
        }
    }

    /** Fails if a part of this call has no price. */
    synchronized void requirePrice() {
        if (unpriced != null) {
            throw unpriced;
        }
    }

    /**
     * Returns the costs of the call, by policy; no money if a part of it has no price. A model call without a response counts
     * its prompt and what it has produced, unless it failed before it produced anything.
     */
    synchronized ToLongFunction<String> end(boolean failed) {
        if (modelRuns && (!failed || produced > 0)) {
            count(method.modelName(), promptTokens, produced);
        }
        modelRuns = false;
        return method.costs(used, unpriced == null ? price : BigDecimal.ZERO);
    }
}
