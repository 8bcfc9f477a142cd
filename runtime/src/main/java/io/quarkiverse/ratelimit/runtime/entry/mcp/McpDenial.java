package io.quarkiverse.ratelimit.runtime.entry.mcp;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import jakarta.annotation.Priority;
import jakarta.enterprise.util.Nonbinding;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InterceptorBinding;
import jakarta.interceptor.InvocationContext;

import io.quarkiverse.mcp.server.McpException;
import io.quarkiverse.mcp.server.ToolCallException;
import io.quarkiverse.ratelimit.RateLimitException;
import io.quarkiverse.ratelimit.runtime.entry.denial.Denial;
import io.smallrye.mutiny.Uni;

/**
 * Turns the denial of a tool into a result that the model reads, and that of a prompt or resource into a JSON-RPC error. It
 * runs outside of all interceptors that decide calls, also of {@code OfCachedCalls}. So it also sees the denials of beans
 * that the method calls.
 */
@Interceptor
@McpDenial.McpCall
@Priority(Interceptor.Priority.PLATFORM_BEFORE - 2)
public class McpDenial {

    @AroundInvoke
    Object call(InvocationContext call) throws Exception {
        Object result;
        try {
            result = call.proceed();
        } catch (Exception failure) {
            RateLimitException denial = denial(failure);
            if (denial == null) {
                throw failure;
            }
            throw error(denial, call);
        }
        return result instanceof Uni<?> uni
                ? uni.onFailure(failure -> denial(failure) != null).transform(failure -> error(denial(failure), call))
                : result;
    }

    /** Returns the denial in a failure, also if {@code @WrapBusinessError} wraps it; {@code null} for any other failure. */
    private static RateLimitException denial(Throwable failure) {
        boolean wrapped = failure instanceof ToolCallException && failure.getCause() != null
                && failure.getCause().toString().equals(failure.getMessage());
        return Denial.in(wrapped ? failure.getCause() : failure);
    }

    private static RuntimeException error(RateLimitException exception, InvocationContext call) {
        Denial denial = Denial.of(exception);
        return call.getInterceptorBinding(McpCall.class).tool() ? new ToolCallException(denial.detail(), exception)
                : new McpException(denial.detail(), exception, denial.reason().httpStatus);
    }

    /** Binds the interceptor to methods that an MCP server calls; the build finds them. */
    @InterceptorBinding
    @Target({ ElementType.METHOD, ElementType.TYPE })
    @Retention(RetentionPolicy.RUNTIME)
    public @interface McpCall {

        /** Whether the method is a tool. */
        @Nonbinding
        boolean tool() default false;
    }
}
