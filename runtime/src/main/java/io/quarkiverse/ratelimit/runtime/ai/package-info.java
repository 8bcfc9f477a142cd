/**
 * The entry point for AI services of Quarkus LangChain4j: budgets of tokens. Internal. Only where the application has them.
 */
package io.quarkiverse.ratelimit.runtime.ai;
