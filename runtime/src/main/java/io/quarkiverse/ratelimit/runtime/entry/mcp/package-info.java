/** The errors of denied MCP tools, prompts and resources. Internal. */
package io.quarkiverse.ratelimit.runtime.entry.mcp;
