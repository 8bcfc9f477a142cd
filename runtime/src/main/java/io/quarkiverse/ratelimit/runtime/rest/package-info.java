/**
 * Entry point for requests to resource methods of Quarkus REST. Only this package imports the internals of RESTEasy Reactive;
 * headers, denials and callers are in {@code web}. Internal.
 */
package io.quarkiverse.ratelimit.runtime.rest;
