/**
 * Entry point for requests to resource methods of Quarkus REST. Only this package imports the internals of RESTEasy Reactive;
 * headers and denials are in {@code entry.http}. Internal.
 */
package io.quarkiverse.ratelimit.runtime.entry.rest;
