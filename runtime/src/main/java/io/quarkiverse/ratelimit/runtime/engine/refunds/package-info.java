/** Returns permits: refunds, and permits that calls hold while they run. Internal. */
package io.quarkiverse.ratelimit.runtime.engine.refunds;
