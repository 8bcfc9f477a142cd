/**
 * The entry point for HTTP requests: the filters of paths and of resource methods, headers and responses. Internal.
 */
package io.quarkiverse.ratelimit.runtime.web;
