/** The pipeline that decides calls: resolves callers, sends requests to the store and applies the fallback. Internal. */
package io.quarkiverse.ratelimit.runtime.engine;
