package io.quarkiverse.ratelimit.runtime.platform.vertx;

import java.util.regex.Pattern;

import io.netty.util.NetUtil;

/** Parses and formats IP addresses. Never sends a DNS query. */
public final class IpText {

    private IpText() {
    }

    /** A zero that begins a longer number. Some programs read such a number as octal. */
    private static final Pattern LEADING_ZERO = Pattern.compile("(^|\\.)0[0-9]");

    /** Parses a dotted IPv4 address without leading zeros to 4 bytes; returns {@code null} for any other text. */
    public static byte[] ipv4(String text) {
        return NetUtil.isValidIpV4Address(text) && !LEADING_ZERO.matcher(text).find()
                ? NetUtil.createByteArrayFromIpAddressString(text)
                : null;
    }

    /** Parses an IPv6 address without dots to 16 bytes; returns {@code null} for a text that is not an address. */
    public static byte[] ipv6(String text) {
        return NetUtil.createByteArrayFromIpAddressString(text);
    }

    /** Formats an address of 16 bytes as in RFC 5952. */
    public static String of(byte[] address) {
        return NetUtil.bytesToIpAddress(address);
    }
}
