package io.quarkiverse.ratelimit.benchmarks;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.flush.FlushConsolidationHandler;
import io.quarkiverse.ratelimit.runtime.algorithm.Act;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitRule;
import io.quarkiverse.ratelimit.runtime.redis.RedisStore;

/**
 * The least a client can do: sends requests encoded ahead, one script call per decision, pipelined, and counts the
 * lines of the replies without reading what they say.
 */
final class NettyClient implements AutoCloseable {

    private static final int KEYS = 10_000;
    /** A reply is one string of the time and one limit's numbers, as doubles. */
    private static final int REPLY_BYTES = "$48\r\n".length() + (LimitRule.FIRST + LimitRule.WIDTH) * Double.BYTES
            + "\r\n".length();

    private final EventLoopGroup loop = new NioEventLoopGroup(1);
    private final Replies replies = new Replies();
    private final ByteBuf[] requests = new ByteBuf[KEYS];
    private final Channel channel;

    NettyClient(int port, Act act) throws Exception {
        channel = new Bootstrap().group(loop).channel(NioSocketChannel.class).option(ChannelOption.TCP_NODELAY, true)
                .handler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel opened) {
                        opened.pipeline().addLast(new FlushConsolidationHandler(1024, true), replies);
                    }
                }).connect("127.0.0.1", port).sync().channel();
        CompletableFuture<String> loaded = replies.expect();
        channel.writeAndFlush(encode("SCRIPT", "LOAD", RedisStore.script(act.script())));
        String sha1 = loaded.get();
        for (int i = 0; i < KEYS; i++) {
            requests[i] = encode("EVALSHA", sha1, "1", "netty:{principal=caller-" + i + "}:benchmark:default",
                    "0", "0", act.function(), act.arguments(0));
        }
    }

    long run(long deadline, int inFlight) throws Exception {
        CompletableFuture<Long> finished = new CompletableFuture<>();
        loop.execute(() -> replies.start(deadline, inFlight, finished));
        return finished.get();
    }

    @Override
    public void close() {
        channel.close();
        loop.shutdownGracefully();
    }

    private static ByteBuf encode(Object... words) {
        ByteBuf request = Unpooled.buffer();
        write(request, "*" + words.length + "\r\n");
        for (Object word : words) {
            byte[] bytes = word instanceof byte[] packed ? packed : word.toString().getBytes(StandardCharsets.UTF_8);
            write(request, "$" + bytes.length + "\r\n");
            request.writeBytes(bytes);
            write(request, "\r\n");
        }
        return Unpooled.unreleasableBuffer(request.asReadOnly());
    }

    private static void write(ByteBuf buffer, String text) {
        buffer.writeCharSequence(text, StandardCharsets.US_ASCII);
    }

    private final class Replies extends SimpleChannelInboundHandler<ByteBuf> {

        private CompletableFuture<String> loading;
        private CompletableFuture<Long> finished;
        private long deadline;
        private int asked, answered, bytes;

        /** The next reply's second line. */
        CompletableFuture<String> expect() {
            loading = new CompletableFuture<>();
            return loading;
        }

        void start(long until, int inFlight, CompletableFuture<Long> whenFinished) {
            deadline = until;
            finished = whenFinished;
            asked = 0;
            answered = 0;
            bytes = 0;
            for (int i = 0; i < inFlight; i++) {
                ask();
            }
            channel.flush();
        }

        private void ask() {
            channel.write(requests[asked++ % KEYS].duplicate());
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, ByteBuf read) {
            if (finished == null) {
                loading.complete(read.toString(StandardCharsets.US_ASCII).split("\r\n")[1]);
                return;
            }
            bytes += read.readableBytes();
            for (; bytes >= REPLY_BYTES; bytes -= REPLY_BYTES) {
                answered++;
                if (System.nanoTime() - deadline < 0) {
                    ask();
                }
            }
            channel.flush();
            if (answered == asked) {
                finished.complete((long) answered);
            }
        }
    }
}
