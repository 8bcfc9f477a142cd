/**
 * Finds the limited methods of AI services at build time, and registers their budgets of tokens. Internal.
 */
package io.quarkiverse.ratelimit.langchain4j.deployment;
