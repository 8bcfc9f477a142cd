/**
 * Defines what a limit can do: the operations on a key, the layouts of their messages and their Lua files. The algorithms are
 * implemented here and in the packages below: each computes its decisions in Java and packs the arguments of its script.
 * Internal.
 */
package io.quarkiverse.ratelimit.runtime.algorithm;
