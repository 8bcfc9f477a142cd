/** Reads the keys and costs of calls from the arguments of limited methods. Internal. */
package io.quarkiverse.ratelimit.deployment.keys;
