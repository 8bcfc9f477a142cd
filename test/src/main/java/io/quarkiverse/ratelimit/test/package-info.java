/**
 * What tests of applications inject: fresh limits and a moved clock. Stable.
 */
package io.quarkiverse.ratelimit.test;
