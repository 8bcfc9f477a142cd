/** What was decided for a call. Internal. */
package io.quarkiverse.ratelimit.runtime.engine.decision;
