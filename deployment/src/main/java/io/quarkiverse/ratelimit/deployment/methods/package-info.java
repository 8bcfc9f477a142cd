/** Finds the limited methods of the application, and what the annotations on them mean. Internal. */
package io.quarkiverse.ratelimit.deployment.methods;
