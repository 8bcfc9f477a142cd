/**
 * What all HTTP entry points share, such as headers and responses; the filter of routes, and WebSocket handshakes. Internal.
 */
package io.quarkiverse.ratelimit.runtime.entry.http;
