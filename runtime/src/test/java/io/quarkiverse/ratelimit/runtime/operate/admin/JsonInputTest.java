package io.quarkiverse.ratelimit.runtime.operate.admin;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.vertx.core.buffer.Buffer;

class JsonInputTest {

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            {'limits': {'default': | The body is no JSON, line 1, column 23: Unexpected end-of-input within/between Object entries.
            {'duration': tomorrow} | The body is no JSON, line 1, column 14: Unrecognized token 'tomorrow': was expecting (JSON
            {'duration':/}         | The body is no JSON, line 3, column 1: Unexpected character ('}' (code 125)): expected a value.
            duration=10m           | The body is no JSON, line 1, column 1: Unrecognized token 'duration': was expecting (JSON
            {} {}                  | The body is no JSON.
            []                     | The body must be a JSON object
            3                      | The body must be a JSON object
            null                   | The body must be a JSON object
            ""                     | The body must be a JSON object
            """)
    void bodyThatIsNoObjectIsExplained(String body, String problem) {
        Buffer sent = Buffer.buffer(body.replace('\'', '"').replace("/", "\n\n"));

        assertThatThrownBy(() -> JsonInput.parse(sent)).isInstanceOf(Problem.class).hasMessageStartingWith(problem)
                .hasMessageNotContaining("Source");
    }
}
