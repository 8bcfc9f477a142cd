/** The entry point for HTTP requests: the filters of routes and of RESTEasy Classic, headers and responses. Internal. */
package io.quarkiverse.ratelimit.runtime.web;
