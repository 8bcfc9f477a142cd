package io.quarkiverse.ratelimit.runtime.caller;

/** Checks whether a text is a token, the form of HTTP names: RFC 9110, section 5.6.2. */
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
