package io.quarkiverse.ratelimit.runtime.entry.graphql;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import jakarta.annotation.Priority;

import graphql.ExceptionWhileDataFetching;
import graphql.GraphQL;
import graphql.GraphQLError;
import graphql.GraphqlErrorBuilder;
import graphql.execution.DataFetcherExceptionHandler;
import graphql.execution.DataFetcherExceptionHandlerParameters;
import graphql.execution.DataFetcherExceptionHandlerResult;
import graphql.execution.DataFetcherResult;
import graphql.execution.ExecutionContext;
import graphql.execution.ExecutionStrategyParameters;
import graphql.execution.FetchedValue;
import graphql.execution.SubscriptionExecutionStrategy;
import io.quarkiverse.ratelimit.RateLimitException;
import io.quarkiverse.ratelimit.runtime.entry.denial.Denial;
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

    /** Returns no key, because no property switches the service on. */
    @Override
    public String getConfigKey() {
        return null;
    }

    @Override
    public GraphQL.Builder beforeGraphQLBuild(GraphQL.Builder builder) {
        return builder.defaultDataFetcherExceptionHandler(this).subscriptionExecutionStrategy(new Subscriptions());
    }

    @Override
    public CompletableFuture<DataFetcherExceptionHandlerResult> handleException(DataFetcherExceptionHandlerParameters failed) {
        RateLimitException denial = denial(failed.getException());
        return denial == null ? others.handleException(failed)
                : CompletableFuture.completedFuture(DataFetcherExceptionHandlerResult
                        .newResult(error(denial).path(failed.getPath()).location(failed.getSourceLocation()).build())
                        .build());
    }

    private static RateLimitException denial(Throwable failure) {
        RateLimitException denial = Denial.in(failure);
        return denial == null && failure instanceof DataFetcherException ? denial(failure.getCause()) : denial;
    }

    private static GraphqlErrorBuilder<?> error(RateLimitException exception) {
        Denial denial = Denial.of(exception);
        Map<String, Object> extensions = new LinkedHashMap<>();
        extensions.put("code", denial.reason().code);
        if (denial.retryAfter() != null) {
            extensions.put("retryAfter", denial.retryAfter());
        }
        return GraphqlErrorBuilder.newError().message("%s", denial.detail()).extensions(extensions);
    }

    /**
     * Handles denials of subscriptions. If a {@code Multi} fails, SmallRye makes the failure an event, and calls no handler.
     */
    private final class Subscriptions extends SubscriptionExecutionStrategy {

        Subscriptions() {
            super(GraphQLDenial.this);
        }

        @Override
        protected FetchedValue unboxPossibleDataFetcherResult(ExecutionContext execution,
                ExecutionStrategyParameters parameters, Object result) {
            return super.unboxPossibleDataFetcherResult(execution, parameters,
                    result instanceof DataFetcherResult<?> event && event.hasErrors() ? withDenials(event) : result);
        }

        private static <T> DataFetcherResult<T> withDenials(DataFetcherResult<T> event) {
            return event.transform(builder -> builder.clearErrors()
                    .errors(event.getErrors().stream().map(Subscriptions::withDenial).toList()));
        }

        private static GraphQLError withDenial(GraphQLError error) {
            RateLimitException denial = error instanceof ExceptionWhileDataFetching failed ? denial(failed.getException())
                    : null;
            return denial == null ? error : error(denial).path(error.getPath()).locations(error.getLocations()).build();
        }
    }
}
