/** The log entries of scheduled runs that are denied. Internal. */
package io.quarkiverse.ratelimit.runtime.entry.scheduler;
