package io.quarkiverse.ratelimit.runtime.store.redis;

import io.quarkiverse.ratelimit.runtime.algorithm.ScriptFile;
import io.quarkus.runtime.util.HashUtil;

/**
 * A script, such as the one that decides requests, made of the files that their operations need.
 *
 * @param sha1 identifies the text in Redis
 */
public record AssembledScript(String text, String sha1) {

    private static final String SERVER_TIME = "time[1] * 1000000 + time[2]";

    public static AssembledScript of(String text) {
        return new AssembledScript(text, HashUtil.sha1(text));
    }

    /** Returns this script with this many microseconds added to the time of Redis. */
    AssembledScript movedBy(long offset) {
        return offset == 0 ? this : of(text.replace(SERVER_TIME, SERVER_TIME + " + " + offset));
    }

    /**
     * Joins the text of the script with these files. The files of a folder share a block, so that their locals end with it.
     *
     * @param files one {@link ScriptFile#bit} each
     */
    public static String text(long files) {
        StringBuilder script = new StringBuilder();
        String folder = "";
        for (ScriptFile file : ScriptFile.values()) {
            if ((files & file.bit()) == 0) {
                continue;
            }
            if (!file.folder.equals(folder)) {
                script.append(folder.isEmpty() ? "" : "end\n").append(file.folder.isEmpty() ? "" : "do\n");
                folder = file.folder;
            }
            script.append(file.text());
        }
        return script.toString();
    }
}
