/**
 * Serves the pages of the Dev UI: policies, entry points, live decisions and a playground.
 * Its beans exist only in dev mode. The browser calls their public methods. Internal.
 */
package io.quarkiverse.ratelimit.runtime.devui;
