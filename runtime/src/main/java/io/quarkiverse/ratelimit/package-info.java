/** What applications import: the annotations, limits, decisions and exceptions of the rate limiter. Stable. */
package io.quarkiverse.ratelimit;
