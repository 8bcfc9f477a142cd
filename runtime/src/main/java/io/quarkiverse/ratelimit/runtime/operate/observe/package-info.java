/**
 * Publishes decisions and the state of the limiter as metrics, span attributes, events and health data, each only if the
 * application has the necessary extension or observers. Internal.
 */
package io.quarkiverse.ratelimit.runtime.operate.observe;
