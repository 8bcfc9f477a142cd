package kotlin.coroutines;

/**
 * Stands for Kotlin's own, so that tests in Java can have methods like those the Kotlin compiler makes of suspend functions.
 */
public interface Continuation<T> {
}
