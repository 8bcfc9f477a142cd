/**
 * The pipeline that decides: who is calling, what the store says, what happens when it cannot say. Internal.
 */
package io.quarkiverse.ratelimit.runtime.engine;
