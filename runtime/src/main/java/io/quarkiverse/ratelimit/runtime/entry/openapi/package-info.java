/** Describes the responses of limited operations in the OpenAPI document. Internal. */
package io.quarkiverse.ratelimit.runtime.entry.openapi;
