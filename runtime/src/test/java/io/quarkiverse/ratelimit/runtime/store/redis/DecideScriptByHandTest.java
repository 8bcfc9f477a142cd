package io.quarkiverse.ratelimit.runtime.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.RealRedis;

/** The command of ARCHITECTURE.md runs every algorithm and decodes its keys. Skipped without {@code redis-cli}. */
class DecideScriptByHandTest {

    @RegisterExtension
    static final RealRedis REDIS = RealRedis.withOtherKeys();

    @BeforeEach
    void findRedisCli() {
        assumeTrue(Stream.of(System.getenv("PATH").split(File.pathSeparator))
                .anyMatch(folder -> new File(folder, "redis-cli").canExecute()), "redis-cli is not on the PATH");
    }

    @ParameterizedTest
    @CsvSource({
            "token_bucket, acquire, permits=10 period=10h, permits=10 period=36000000000 at=0 level=10800000000 rest=0 since=0",
            "token_bucket, acquire_tracked, permits=10 period=10h, from=0 till=0 count=3",
            "fixed_window, acquire, permits=10 period=10h, ends=36000000000 since=0 used=3",
            "sliding_window, acquire, permits=10 period=10h, period=36000000000 since=0 last=0 previous=0 count=3",
            "sliding_log, acquire, permits=10 period=10h, time=0 total=3",
            "concurrency, acquire, permits=10 lease_time=10h id=call-1, index=2" })
    void acquiresAndDecodes(String algorithm, String file, String limit, String decoded) throws Exception {
        List<String> acquire = new ArrayList<>(List.of(algorithm + "/" + file, "cost=3", "now=0"));
        acquire.addAll(List.of(limit.split(" ")));

        assertThat(byHand(file + algorithm, acquire)).startsWith("granted 3\n").endsWith("\nwritten\n");
        assertThat(byHand(file + algorithm, List.of(algorithm + "/decode"))).contains(decoded, "expires in ");
        acquire.set(1, "cost=8");
        assertThat(byHand(file + algorithm, acquire)).startsWith("granted " + (algorithm.equals("concurrency") ? 8 : 0));
    }

    @Test
    void penaltyCountsBlocksAndIsDecoded() throws Exception {
        List<String> denied = List.of("penalty/apply", "after=2", "within=10h", "block=1m", "max_block=1h", "now=5");

        assertThat(byHand("penalty", denied)).startsWith("granted 0\nnumbers 0 0 0 0\n").endsWith("\nwritten\n");
        assertThat(byHand("penalty", List.of("penalty/decode"))).contains("began=0 ends=0 penalty=0\nat=5\n");
        assertThat(byHand("penalty", denied)).startsWith("granted 0\nnumbers 60000000 0 0 0\n");
        assertThat(byHand("penalty", List.of("penalty/decode"))).contains("began=5 ends=60000005 penalty=60000000\n",
                "expires in ");

        assertThat(byHand("penalty", List.of("penalty/apply", "granted=1", "blocked=2m", "now=7")))
                .startsWith("granted 0\nnumbers 120000000 0 0 0\n").contains("nothing written");
        assertThat(byHand("penalty", List.of("penalty/apply", "granted=1", "now=3m"))).contains("nothing written");
    }

    private static String byHand(String key, List<String> arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("sh", "src/test/lua/by_hand", key));
        command.addAll(arguments);
        ProcessBuilder shell = new ProcessBuilder(command).redirectErrorStream(true);
        shell.environment().put("REDIS_CLI", "redis-cli -p " + REDIS.port());
        Process process = shell.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        return output;
    }
}
