package io.quarkiverse.ratelimit.runtime.langchain4j;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

import jakarta.enterprise.inject.Any;
import jakarta.enterprise.inject.Default;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Singleton;
import jakarta.interceptor.InvocationContext;

import org.jboss.logging.Logger;

import dev.langchain4j.model.chat.ChatModel;
import dev.langchain4j.model.chat.StreamingChatModel;
import dev.langchain4j.model.chat.request.ChatRequestParameters;
import dev.langchain4j.model.openai.OpenAiChatRequestParameters;
import io.quarkiverse.langchain4j.ModelName;
import io.quarkiverse.ratelimit.Algorithm;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.runtime.engine.limits.CallRules;
import io.quarkiverse.ratelimit.runtime.engine.limits.RuleRegistry;
import io.quarkiverse.ratelimit.runtime.langchain4j.AiServiceRecorder.AiServiceMethod;
import io.quarkiverse.ratelimit.runtime.langchain4j.AiServiceRecorder.AiServiceMethods;
import io.quarkiverse.ratelimit.runtime.policy.CallParameters;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;

/** Finds the rules of a limited method of an AI service, and estimates its calls. */
@Singleton
public class BudgetedMethods {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.ratelimit");
    /** Assumed where the model has no configured maximum. */
    private static final int DEFAULT_OUTPUT_TOKENS = 1_000;
    /** The suffix of the bean that Quarkus LangChain4j creates for an AI service. */
    private static final String BEAN = "$$QuarkusImpl";

    private static final String OPEN_AI = "dev.langchain4j.model.openai.OpenAiChatRequestParameters";
    /** A constant, so that a native executable without these models does not contain {@link OpenAiOutput}. */
    private static final boolean HAS_OPEN_AI = isPresent(OPEN_AI);

    private final RuleRegistry registry;
    private final Instance<ChatModel> models;
    private final Instance<StreamingChatModel> streamingModels;
    private final Map<String, AiServiceMethod> found;
    private final Map<Method, Budgeted> byMethod = new ConcurrentHashMap<>();

    BudgetedMethods(RuleRegistry registry, AiServiceMethods found, @Any Instance<ChatModel> models,
            @Any Instance<StreamingChatModel> streamingModels) {
        this.registry = registry;
        this.found = found.all().stream().collect(Collectors.toMap(AiServiceMethod::id, method -> method));
        this.models = models;
        this.streamingModels = streamingModels;
    }

    /**
     * A limited method.
     *
     * @param outputTokens the most tokens of a response
     */
    record Budgeted(CallRules rules, AiServiceMethod method, long outputTokens) {

        long promptTokens(Object[] arguments) {
            return method.templateTokens() + TokenEstimate.of(arguments);
        }

        /** The rules with the cost of a call. */
        CallRules rules(Object[] arguments, long promptTokens) {
            return rules.costing(arguments, Math.max(1, Math.min(promptTokens + outputTokens, Limit.MAX_PERMITS)));
        }
    }

    /** The method of a call; without rules if none of its policies is in force. */
    Budgeted of(InvocationContext call) {
        return byMethod.computeIfAbsent(call.getMethod(), this::of);
    }

    private Budgeted of(Method method) {
        CallRules rules = registry.rules(service(method), method.getName(), method.getParameterTypes()).refundable();
        AiServiceMethod known = found.get(rules.method().id());
        rules.charges().forEach(charge -> requireCalls(charge.policy, rules.method().id()));
        Budgeted budgeted = new Budgeted(rules, known, outputTokens(known));
        if (rules.method().parameters().cost() == CallParameters.NO_COST) {
            rules.charges().stream().filter(charge -> charge.requested.cost() == 1)
                    .forEach(charge -> warnIfTooSmall(charge.policy, known.id(),
                            known.templateTokens() + budgeted.outputTokens()));
        }
        return budgeted;
    }

    /** @param least how many tokens each call reserves at least */
    private static void warnIfTooSmall(Policy policy, String method, long least) {
        for (PolicyLimit limit : policy.limits()) {
            long capacity = limit.limit().burst();
            if (limit.countsCost() && limit.limit().maxWait().isZero() && least >= capacity) {
                LOG.warnf("@RateLimited(\"%s\") on %s reserves at least %d tokens for a call, but limit \"%s\" has a capacity"
                        + " of %d. So each call is denied, unless a plan or an override raises the limit. Raise it, configure"
                        + " the most output tokens of the model (otherwise %d are assumed), or set the estimate by cost or"
                        + " @RateLimitCost.", policy.name(), method, least, limit.name(), capacity, DEFAULT_OUTPUT_TOKENS);
            }
        }
    }

    private static Class<?> service(Method method) {
        Class<?> bean = method.getDeclaringClass();
        for (Class<?> service : bean.getInterfaces()) {
            if (bean.getName().equals(service.getName() + BEAN)) {
                return service;
            }
        }
        return bean;
    }

    /** @throws IllegalStateException when the policy limits concurrency by tokens, of which there are always too many */
    private static void requireCalls(Policy policy, String method) {
        for (PolicyLimit limit : policy.limits()) {
            if (limit.limit().algorithm() == Algorithm.CONCURRENCY && limit.countsCost()) {
                throw new IllegalStateException("@RateLimited(\"" + policy.name() + "\") on " + method + " reserves tokens, and"
                        + " limit \"" + limit.name() + "\" would hold one permit for each of them. Set counts=calls on that"
                        + " limit.");
            }
        }
    }

    /** The most tokens of a response, or {@link #DEFAULT_OUTPUT_TOKENS} if the model has no configured maximum. */
    private long outputTokens(AiServiceMethod method) {
        Annotation name = method.model() == null ? Default.Literal.INSTANCE : ModelName.Literal.of(method.model());
        ChatRequestParameters parameters = null;
        if (method.streaming() && streamingModels.select(name).isResolvable()) {
            parameters = streamingModels.select(name).get().defaultRequestParameters();
        } else if (!method.streaming() && models.select(name).isResolvable()) {
            parameters = models.select(name).get().defaultRequestParameters();
        }
        Integer most = parameters == null ? null
                : HAS_OPEN_AI && parameters.getClass().getName().equals(OPEN_AI) ? OpenAiOutput.most(parameters)
                        : parameters.maxOutputTokens();
        return most == null ? DEFAULT_OUTPUT_TOKENS : most;
    }

    private static boolean isPresent(String type) {
        try {
            Class.forName(type, false, BudgetedMethods.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException absent) {
            return false;
        }
    }

    /** Reads the second maximum that models of OpenAI have. Only loaded where the application has such a model. */
    private static final class OpenAiOutput {

        /** The most tokens of a response; {@code null} where it is not configured. */
        static Integer most(ChatRequestParameters parameters) {
            Integer completion = ((OpenAiChatRequestParameters) parameters).maxCompletionTokens();
            return completion == null ? parameters.maxOutputTokens() : completion;
        }
    }
}
