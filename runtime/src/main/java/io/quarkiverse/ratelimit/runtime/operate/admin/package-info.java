/**
 * Serves administration over HTTP: JSON for programs, and a page for people that uses it. {@code engine.Administration} does
 * the work. Internal, and registered only if
 * {@code quarkus.rate-limit.admin.enabled} is {@code true}.
 */
package io.quarkiverse.ratelimit.runtime.operate.admin;
