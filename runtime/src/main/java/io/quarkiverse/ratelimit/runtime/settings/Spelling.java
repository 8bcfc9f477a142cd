package io.quarkiverse.ratelimit.runtime.settings;

import java.util.List;

/** Measures how similar two names are, to find typing errors. */
final class Spelling {

    /**
     * The number of typing errors between two names with the same number of segments. Returns {@link Integer#MAX_VALUE}
     * if a segment has so many errors that it is a different word.
     */
    static int distance(List<String> known, List<String> written) {
        int sum = 0;
        for (int i = 0; i < known.size(); i++) {
            int distance = distance(known.get(i), written.get(i));
            if (distance > Math.max(1, known.get(i).length() / 4)) {
                return Integer.MAX_VALUE;
            }
            sum += distance;
        }
        return sum;
    }

    /** The optimal string alignment distance: an extra, missing or wrong character counts 1, and so does a swap of two. */
    private static int distance(String a, String b) {
        int[][] d = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            for (int j = 0; j <= b.length(); j++) {
                if (i == 0 || j == 0) {
                    d[i][j] = i + j;
                    continue;
                }
                int wrong = a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1;
                d[i][j] = Math.min(d[i - 1][j - 1] + wrong, 1 + Math.min(d[i - 1][j], d[i][j - 1]));
                if (i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1)) {
                    d[i][j] = Math.min(d[i][j], d[i - 2][j - 2] + 1);
                }
            }
        }
        return d[a.length()][b.length()];
    }
}
