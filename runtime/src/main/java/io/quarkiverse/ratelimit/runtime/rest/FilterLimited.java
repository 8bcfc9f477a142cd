package io.quarkiverse.ratelimit.runtime.rest;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import jakarta.ws.rs.NameBinding;

/** Binds {@link RateLimitFilter} to resource methods; {@link FilterBinding} adds it to those that are limited. */
@NameBinding
@Target({ ElementType.METHOD, ElementType.TYPE })
@Retention(RetentionPolicy.RUNTIME)
public @interface FilterLimited {
}
