/** What applications implement: resolvers of callers and of their plans. Stable. */
package io.quarkiverse.ratelimit.spi;
