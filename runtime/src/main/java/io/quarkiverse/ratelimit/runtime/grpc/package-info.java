/**
 * The answer to gRPC calls that are refused. Internal.
 */
package io.quarkiverse.ratelimit.runtime.grpc;
