package io.quarkiverse.ratelimit.runtime.graphql;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import jakarta.annotation.Priority;

import graphql.GraphQL;
import graphql.GraphQLError;
import graphql.GraphqlErrorBuilder;
import graphql.execution.DataFetcherExceptionHandler;
import graphql.execution.DataFetcherExceptionHandlerParameters;
import graphql.execution.DataFetcherExceptionHandlerResult;
import graphql.execution.SubscriptionExecutionStrategy;
import io.quarkiverse.ratelimit.RateLimitException;
import io.quarkiverse.ratelimit.runtime.denial.Denial;
import io.smallrye.graphql.execution.datafetcher.DataFetcherException;
import io.smallrye.graphql.execution.error.ExceptionHandler;
import io.smallrye.graphql.execution.event.Priorities;
import io.smallrye.graphql.spi.EventingService;

/**
 * Turns the denial of an operation or field into an error with {@code extensions.code} and {@code extensions.retryAfter}.
 * SmallRye finds this service, and handles all other failures. An application can install its own handler later.
 */
@Priority(Priorities.FIRST_IN_LAST_OUT)
public final class GraphQLDenial implements EventingService, DataFetcherExceptionHandler {

    private final ExceptionHandler others = new ExceptionHandler();

    /** No property switches the service on. */
    @Override
    public String getConfigKey() {
        return null;
    }

    @Override
    public GraphQL.Builder beforeGraphQLBuild(GraphQL.Builder builder) {
        return builder.defaultDataFetcherExceptionHandler(this)
                .subscriptionExecutionStrategy(new SubscriptionExecutionStrategy(this));
    }

    @Override
    public CompletableFuture<DataFetcherExceptionHandlerResult> handleException(
            DataFetcherExceptionHandlerParameters failed) {
        RateLimitException denial = denial(failed.getException());
        return denial == null ? others.handleException(failed)
                : CompletableFuture.completedFuture(
                        DataFetcherExceptionHandlerResult.newResult(error(Denial.of(denial), failed)).build());
    }

    private static RateLimitException denial(Throwable failure) {
        RateLimitException denial = Denial.in(failure);
        return denial == null && failure instanceof DataFetcherException ? denial(failure.getCause()) : denial;
    }

    private static GraphQLError error(Denial denial, DataFetcherExceptionHandlerParameters failed) {
        Map<String, Object> extensions = new LinkedHashMap<>();
        extensions.put("code", denial.reason().code());
        if (denial.retryAfter() != null) {
            extensions.put("retryAfter", denial.retryAfter());
        }
        return GraphqlErrorBuilder.newError().message("%s", denial.detail()).path(failed.getPath())
                .location(failed.getSourceLocation()).extensions(extensions).build();
    }
}
