/**
 * What applications implement: who is calling, and which plan applies. Stable.
 */
package io.quarkiverse.ratelimit.spi;
