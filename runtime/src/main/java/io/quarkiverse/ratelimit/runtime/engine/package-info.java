/** The door of all calls, and the links of the chain that have no room of their own. Internal. */
package io.quarkiverse.ratelimit.runtime.engine;
