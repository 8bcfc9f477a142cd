package io.quarkiverse.ratelimit.runtime.caller;

/** Tells what HTTP allows as a name: RFC 9110, 5.6.2. */
final class HttpToken {

    private static final String PUNCTUATION = "!#$%&'*+-.^_`|~";

    private HttpToken() {
    }

    static boolean isToken(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (!(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || PUNCTUATION.indexOf(c) >= 0)) {
                return false;
            }
        }
        return !text.isEmpty();
    }
}
