/**
 * Answers the pages of the Dev UI: what is configured, what is limited, what is decided at the moment, and a playground.
 * Its beans exist in dev mode only, and its public methods are called from the browser. Internal.
 */
package io.quarkiverse.ratelimit.runtime.devui;
