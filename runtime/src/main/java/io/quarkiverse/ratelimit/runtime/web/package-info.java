/**
 * The entrance for HTTP requests: the filters of paths and of resource methods, headers and answers. Internal.
 */
package io.quarkiverse.ratelimit.runtime.web;
