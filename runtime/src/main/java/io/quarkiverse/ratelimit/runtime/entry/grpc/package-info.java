/** The replies to gRPC calls that are denied. Internal. */
package io.quarkiverse.ratelimit.runtime.entry.grpc;
