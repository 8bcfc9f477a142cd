/**
 * Adapts the internals of Vert.x and Netty that the limiter needs. Only this package imports them, so an upgrade touches
 * one place. Internal.
 */
package io.quarkiverse.ratelimit.runtime.platform.vertx;
