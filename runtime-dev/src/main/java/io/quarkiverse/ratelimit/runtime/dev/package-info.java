/**
 * Serves the pages of the Dev UI and the tools of the Dev MCP. Both call the public methods of the beans. Internal.
 * Only an application in dev mode has this module: the extension names it as a conditional dependency.
 */
package io.quarkiverse.ratelimit.runtime.dev;
