/** The only package that uses Mutiny's operator classes. Internal. */
package io.quarkiverse.ratelimit.runtime.platform.mutiny;
