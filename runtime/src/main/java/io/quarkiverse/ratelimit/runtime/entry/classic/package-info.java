/** Decides the calls of resource methods of RESTEasy Classic. Internal. */
package io.quarkiverse.ratelimit.runtime.entry.classic;
