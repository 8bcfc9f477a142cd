/** Changes and reads limits at run time, for administration. Internal. */
package io.quarkiverse.ratelimit.runtime.engine.admin;
