/**
 * The entrance for HTTP requests: the filter of resource methods, headers and answers. Internal.
 */
package io.quarkiverse.ratelimit.runtime.web;
