package io.quarkiverse.ratelimit.benchmarks;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;

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
import io.quarkiverse.ratelimit.runtime.algorithm.Operation;
import io.quarkiverse.ratelimit.runtime.store.redis.AssembledScript;

/**
 * The least a client can do: sends requests encoded ahead, one script call per decision, pipelined, and reads from
 * the replies only whether the call is allowed.
 */
final class NettyClient implements AutoCloseable {

    private static final int KEYS = 10_000;
    /** A reply is one string of six doubles, {@code TIMED_REPLY} of {@code decide.lua}. */
    private static final int FIRST_BYTE = "$48\r\n".length();
    private static final int REPLY_BYTES = FIRST_BYTE + 6 * Double.BYTES + "\r\n".length();
    /** The position of the byte that is 0 when the call is denied: the last of the number of granted permits. */
    private static final int GRANTED_BYTE = FIRST_BYTE + 2 * Double.BYTES - 1;

    private final EventLoopGroup loop = new NioEventLoopGroup(1);
    private final Replies replies = new Replies();
    private final ByteBuf[] requests;
    private final Channel channel;

    NettyClient(int port, Operation operation) throws Exception {
        this(port, "caller-", KEYS, key -> operation);
    }

    /**
     * @param prefix begins the callers' names
     * @param operations the operation for each caller; all use the same script
     */
    NettyClient(int port, String prefix, int keys, IntFunction<Operation> operations) throws Exception {
        channel = new Bootstrap().group(loop).channel(NioSocketChannel.class).option(ChannelOption.TCP_NODELAY, true)
                .handler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel opened) {
                        opened.pipeline().addLast(new FlushConsolidationHandler(1024, true), replies);
                    }
                }).connect("127.0.0.1", port).sync().channel();
        CompletableFuture<String> loaded = replies.expect();
        channel.writeAndFlush(encode("SCRIPT", "LOAD", AssembledScript.text(operations.apply(0).files())));
        String sha1 = loaded.get();
        requests = new ByteBuf[keys];
        for (int i = 0; i < keys; i++) {
            Operation operation = operations.apply(i);
            requests[i] = encode("EVALSHA", sha1, "1", "netty:{principal=" + prefix + i + "}:benchmark:default:tb1",
                    "1", "0", operation.function().path, operation.arguments(0));
        }
    }

    long run(long deadline, int inFlight) throws Exception {
        return tally(deadline, inFlight).decided();
    }

    Tally tally(long deadline, int inFlight) throws Exception {
        CompletableFuture<Tally> finished = new CompletableFuture<>();
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
        private CompletableFuture<Tally> finished;
        private long deadline;
        private int sent, received, allowed, bytes;

        /** The next reply's second line. */
        CompletableFuture<String> expect() {
            loading = new CompletableFuture<>();
            return loading;
        }

        void start(long until, int inFlight, CompletableFuture<Tally> whenFinished) {
            deadline = until;
            finished = whenFinished;
            sent = 0;
            received = 0;
            allowed = 0;
            bytes = 0;
            for (int i = 0; i < inFlight; i++) {
                send();
            }
            channel.flush();
        }

        private void send() {
            channel.write(requests[sent++ % requests.length].duplicate());
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, ByteBuf read) {
            if (finished == null) {
                loading.complete(read.toString(StandardCharsets.US_ASCII).split("\r\n")[1]);
                return;
            }
            if (bytes == 0 && read.getByte(read.readerIndex()) != '$') {
                finished.completeExceptionally(new IllegalStateException(read.toString(StandardCharsets.US_ASCII)));
                return;
            }
            int end = read.readableBytes();
            for (int at = (GRANTED_BYTE - bytes + REPLY_BYTES) % REPLY_BYTES; at < end; at += REPLY_BYTES) {
                if (read.getByte(read.readerIndex() + at) != 0) {
                    allowed++;
                }
            }
            bytes += end;
            for (; bytes >= REPLY_BYTES; bytes -= REPLY_BYTES) {
                received++;
                if (System.nanoTime() - deadline < 0) {
                    send();
                }
            }
            channel.flush();
            if (received == sent) {
                finished.complete(new Tally(allowed, received - allowed, 0, null));
            }
        }
    }
}
