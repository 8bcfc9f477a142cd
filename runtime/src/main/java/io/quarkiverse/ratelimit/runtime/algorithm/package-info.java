/**
 * Defines what a limit can do: the operations on a key, the layouts of their messages and their Lua files. The packages below
 * implement the algorithms: each computes its decisions in Java and packs the arguments of its script. Internal.
 */
package io.quarkiverse.ratelimit.runtime.algorithm;
