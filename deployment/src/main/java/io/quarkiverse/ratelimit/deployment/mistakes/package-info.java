/** Finds annotations that are wrong or have no effect. Internal. */
package io.quarkiverse.ratelimit.deployment.mistakes;
