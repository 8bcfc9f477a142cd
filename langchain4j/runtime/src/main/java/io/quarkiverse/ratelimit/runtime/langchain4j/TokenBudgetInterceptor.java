package io.quarkiverse.ratelimit.runtime.langchain4j;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import jakarta.annotation.Priority;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InterceptorBinding;
import jakarta.interceptor.InvocationContext;

import io.quarkus.security.spi.runtime.SecurityHandlerConstants;

/** Reserves tokens for calls of AI services after Quarkus' security checks, so that a forbidden call costs nothing. */
@Interceptor
@TokenBudgetInterceptor.BudgetedCall
@Priority(SecurityHandlerConstants.SECURITY_INTERCEPTOR_PRIORITY + 1)
public class TokenBudgetInterceptor {

    private final TokenBudgets budgets;

    TokenBudgetInterceptor(TokenBudgets budgets) {
        this.budgets = budgets;
    }

    @AroundInvoke
    Object call(InvocationContext call) throws Exception {
        return budgets.call(call);
    }

    /** Binds the interceptor to limited methods of AI services; the build finds these methods. */
    @InterceptorBinding
    @Target({ ElementType.METHOD, ElementType.TYPE })
    @Retention(RetentionPolicy.RUNTIME)
    public @interface BudgetedCall {
    }
}
