package io.quarkiverse.ratelimit.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Copies examples into the pages that show them. A comment above a block names what the block shows: one file or several, or
 * the
 * regions of a file with a tag, such as {@code // example: main/org/acme/quotes/QuoteResource.java#quote}.
 */
final class Examples {

    static final String COMMENT = "// example: ";
    private static final Path ROOT = Path.of("modules/ROOT/examples");
    static final Pattern BLOCK = Pattern
            .compile("(?ms)^(" + COMMENT + "([^\\n]+)\\n(?:[\\[.][^\\n]+\\n)*----\\n)(.*?)^----$");
    private static final Pattern TAG = Pattern.compile("\\b(tag|end)::([\\w-]+)\\[]");

    private Examples() {
    }

    /** Returns the text of a page with the examples as they are now. */
    static String update(String page) {
        return BLOCK.matcher(page)
                .replaceAll(block -> Matcher.quoteReplacement(block.group(1) + text(block.group(2)) + "----"));
    }

    private static String text(String names) {
        return Stream.of(names.split(", ")).map(name -> {
            String[] fileAndTag = name.split("#");
            return region(ROOT.resolve(fileAndTag[0]), fileAndTag.length == 1 ? null : fileAndTag[1]);
        }).collect(Collectors.joining());
    }

    /**
     * Returns the lines of all regions with the tag, or of the whole file if it is null, without the indent that they share.
     */
    private static String region(Path file, String tag) {
        StringBuilder region = new StringBuilder();
        boolean inside = tag == null;
        for (String line : lines(file)) {
            Matcher found = TAG.matcher(line);
            if (!found.find()) {
                region.append(inside ? line + '\n' : "");
            } else if (found.group(2).equals(tag)) {
                inside = found.group(1).equals("tag");
            }
        }
        if (region.isEmpty()) {
            throw new IllegalArgumentException(file + " has no region " + tag);
        }
        return region.toString().stripTrailing().stripIndent() + '\n';
    }

    private static Iterable<String> lines(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
