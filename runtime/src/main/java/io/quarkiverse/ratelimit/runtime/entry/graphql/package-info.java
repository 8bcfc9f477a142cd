/** The errors of denied GraphQL operations and fields. Internal. */
package io.quarkiverse.ratelimit.runtime.entry.graphql;
