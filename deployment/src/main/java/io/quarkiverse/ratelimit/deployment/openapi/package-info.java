/** Marks limited operations in OpenAPI documents. Internal. */
package io.quarkiverse.ratelimit.deployment.openapi;
