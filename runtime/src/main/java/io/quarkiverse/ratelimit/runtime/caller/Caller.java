package io.quarkiverse.ratelimit.runtime.caller;

/** Says who is calling, as far as the entrance can tell; every method answers {@code null} for what is absent. */
public interface Caller {

    /** Nobody that could be told from others. */
    Caller UNKNOWN = new Caller() {

        @Override
        public String address() {
            return null;
        }

        @Override
        public String principal() {
            return null;
        }

        @Override
        public String header(String name) {
            return null;
        }
    };

    /** The caller's address in the form it is counted by, such as {@code 203.0.113.7} or {@code 2001:db8:1:2::/64}. */
    String address();

    /** The name of the authenticated caller. */
    String principal();

    /** The first value of a request header. */
    String header(String name);
}
