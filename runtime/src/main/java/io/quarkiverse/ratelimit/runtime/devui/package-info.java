/**
 * Serves the pages of the Dev UI: entry points and live decisions.
 * Its beans exist only in dev mode. The browser calls their public methods. Internal.
 */
package io.quarkiverse.ratelimit.runtime.devui;
