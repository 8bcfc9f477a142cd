/**
 * The entry point for AI services of Quarkus LangChain4j: budgets of tokens, and of money. Internal.
 */
package io.quarkiverse.ratelimit.runtime.langchain4j;
