package io.quarkiverse.ratelimit.runtime.langchain4j;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToLongFunction;
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
import io.quarkiverse.ratelimit.runtime.engine.EstimatedCalls;
import io.quarkiverse.ratelimit.runtime.engine.EstimatedCalls.CostLimit;
import io.quarkiverse.ratelimit.runtime.engine.EstimatedCalls.Rules;
import io.quarkiverse.ratelimit.runtime.langchain4j.AiServiceRecorder.AiServiceMethod;
import io.quarkiverse.ratelimit.runtime.langchain4j.AiServiceRecorder.AiServiceMethods;
import io.quarkus.arc.ClientProxy;

/** Finds the rules of a limited method of an AI service, and its model. */
@Singleton
public class BudgetedMethods {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.ratelimit");
    /** Assumed where the model has no configured maximum. */
    private static final int DEFAULT_OUTPUT_TOKENS = 1_000;
    /** Suffix of the bean that Quarkus LangChain4j creates for an AI service. */
    public static final String BEAN = "$$QuarkusImpl";

    private static final String OPEN_AI = "dev.langchain4j.model.openai.OpenAiChatRequestParameters";
    /** Constant, so that a native executable without these models does not contain {@link OpenAiOutput}. */
    private static final boolean HAS_OPEN_AI = isPresent(OPEN_AI);

    private final EstimatedCalls calls;
    private final TokenPrices prices;
    private final Instance<ChatModel> models;
    private final Instance<StreamingChatModel> streamingModels;
    private final Map<String, AiServiceMethod> found;
    private final Map<Method, BudgetedMethod> byMethod = new ConcurrentHashMap<>();

    BudgetedMethods(EstimatedCalls calls, TokenPrices prices, AiServiceMethods found, @Any Instance<ChatModel> models,
            @Any Instance<StreamingChatModel> streamingModels) {
        this.calls = calls;
        this.prices = prices;
        this.found = found.all().stream().collect(Collectors.toMap(AiServiceMethod::id, method -> method));
        this.models = models;
        this.streamingModels = streamingModels;
    }

    /** Returns the method of a call; without rules if none of its policies is in force. */
    BudgetedMethod budgeted(InvocationContext call) {
        return byMethod.computeIfAbsent(call.getMethod(), this::budgeted);
    }

    private BudgetedMethod budgeted(Method method) {
        Rules rules = calls.rules(service(method), method);
        rules.costLimits().forEach(limit -> requireCalls(limit, rules.method()));
        BudgetedMethod budgeted = budgeted(rules, found.get(rules.method()));
        // no prompt is empty
        ToLongFunction<String> least = budgeted.estimate(budgeted.method().templateTokens() + 1);
        rules.costLimits().stream().filter(CostLimit::estimated)
                .forEach(limit -> warnIfTooSmall(limit, rules.method(), least.applyAsLong(limit.policy())));
        return budgeted;
    }

    private BudgetedMethod budgeted(Rules rules, AiServiceMethod method) {
        Annotation qualifier = method.model() == null ? Default.Literal.INSTANCE : ModelName.Literal.of(method.model());
        Object model = method.streaming() ? bean(streamingModels.select(qualifier)) : bean(models.select(qualifier));
        ChatRequestParameters parameters = model instanceof StreamingChatModel streaming && method.streaming()
                ? streaming.defaultRequestParameters()
                : model instanceof ChatModel blocking ? blocking.defaultRequestParameters() : null;
        String supplier = method.modelSupplier();
        List<String> moneyPolicies = rules.costLimits().stream().map(CostLimit::policy).filter(prices::arePermitsOf).distinct()
                .toList();
        return new BudgetedMethod(rules, method, parameters == null || supplier != null ? null : parameters.modelName(),
                (supplier != null ? "that of " + supplier
                        : model == null ? "no bean"
                                : "bean " + ClientProxy.unwrap(model).getClass().getName())
                        + ", used by " + method.id(),
                outputTokens(parameters), moneyPolicies, prices);
    }

    private static <T> T bean(Instance<T> beans) {
        return beans.isResolvable() ? beans.get() : null;
    }

    /** @param least how many tokens or permits of money each call reserves at least */
    private void warnIfTooSmall(CostLimit limit, String method, long least) {
        long capacity = limit.limit().burst();
        if (limit.limit().maxWait().isZero() && least > capacity) {
            LOG.warnf("@RateLimited(\"%s\") on %s reserves at least %d %s for a call, but limit \"%s\" has a capacity"
                    + " of %d. So each call is denied, unless a plan or an override raises the limit. Raise it, configure"
                    + " the most output tokens of the model (otherwise %d are assumed), or set the estimate by cost or"
                    + " @RateLimitCost.", limit.policy(), method, least,
                    prices.arePermitsOf(limit.policy()) ? "permits" : "tokens", limit.name(), capacity, DEFAULT_OUTPUT_TOKENS);
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

    /** @throws IllegalStateException for a limit of concurrency by tokens, of which there are always too many */
    private static void requireCalls(CostLimit limit, String method) {
        if (limit.limit().algorithm() == Algorithm.CONCURRENCY) {
            throw new IllegalStateException("@RateLimited(\"" + limit.policy() + "\") on " + method + " reserves its cost, and"
                    + " limit \"" + limit.name() + "\" would hold a permit for each token, or for each part of its price. Set"
                    + " counts=calls on that limit.");
        }
    }

    /** Returns the most tokens of a response, or {@link #DEFAULT_OUTPUT_TOKENS} if the model has no configured maximum. */
    private static long outputTokens(ChatRequestParameters parameters) {
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

        /** Returns the most tokens of a response; {@code null} where it is not configured. */
        static Integer most(ChatRequestParameters parameters) {
            Integer completion = ((OpenAiChatRequestParameters) parameters).maxCompletionTokens();
            return completion == null ? parameters.maxOutputTokens() : completion;
        }
    }
}
