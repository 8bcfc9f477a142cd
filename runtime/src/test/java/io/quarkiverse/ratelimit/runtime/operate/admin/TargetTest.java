package io.quarkiverse.ratelimit.runtime.operate.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.runtime.operate.admin.Target.Kind;

class TargetTest {

    @Test
    void lastSegmentIsAnOperationUnlessALetterIsEscaped() {
        assertThat(Target.of("policies/p/keys/a/override")).isEqualTo(new Target(Kind.KEY_OVERRIDE, "p", List.of("a")));
        assertThat(Target.of("policies/p/keys/a/block")).isEqualTo(new Target(Kind.KEY_BLOCK, "p", List.of("a")));
        assertThat(Target.of("policies/p/keys/override")).isEqualTo(new Target(Kind.KEY_OVERRIDE, "p", List.of()));
        assertThat(Target.of("policies/p/keys/override/b"))
                .isEqualTo(new Target(Kind.KEY, "p", List.of("override", "b")));
        assertThat(Target.of("policies/p/keys/a/%6Fverride"))
                .isEqualTo(new Target(Kind.KEY, "p", List.of("a", "override")));
        assertThat(Target.of("policies/p/keys/bloc%6b/block"))
                .isEqualTo(new Target(Kind.KEY_BLOCK, "p", List.of("block")));
    }

    @Test
    void valuesAreUnescapedOnce() {
        assertThat(Target.of("policies/p/keys/a%2Fb/%252F/+/%20/%C3%BC").key()).containsExactly("a/b", "%2F", "+", " ",
                "\u00fc");
        assertThat(Target.of("policies/p/keys/..").key()).containsExactly("..");
    }

    @Test
    void badEscapesAndEmptyValuesAreMistakes() {
        for (String value : List.of("a%zz", "%", "%2")) {
            assertThatThrownBy(() -> Target.of("policies/p/keys/" + value)).isInstanceOf(Problem.class)
                    .hasMessage("\"" + value + "\" in the path is not escaped correctly. Write % as %25 and / as %2F.");
        }
        assertThatThrownBy(() -> Target.of("policies/p/keys/a//b")).isInstanceOf(Problem.class)
                .hasMessageStartingWith("A value of the key is empty.");
    }

    @Test
    void everythingElseIsUnknown() {
        for (String path : List.of("", "keys", "polices", "policies/p/unknown", "policies/p/override/a",
                "policies/p/stored-keys/a", "most-denied/p", "policies/p/shadow/a",
                "../policies")) {
            assertThatThrownBy(() -> Target.of(path)).isInstanceOf(Problem.class)
                    .hasMessageStartingWith("Nothing has this path.");
        }
    }
}
