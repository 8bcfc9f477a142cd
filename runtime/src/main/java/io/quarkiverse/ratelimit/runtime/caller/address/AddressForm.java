package io.quarkiverse.ratelimit.runtime.caller.address;

import io.quarkiverse.ratelimit.runtime.platform.vertx.IpText;
import io.smallrye.common.net.CidrAddress;

/**
 * Formats addresses for keys: an IPv4 address in full, an IPv6 address cut to its prefix and spelled as in RFC 5952.
 *
 * @param ipv6Prefix number of bits of an IPv6 address that identify the caller, 1 to 128
 */
public record AddressForm(int ipv6Prefix) {

    private static final int ALL_BITS = 128;

    /** Formats an address of 4 or 16 bytes. */
    String format(byte[] address) {
        if (address.length == 4 || ipv6Prefix == ALL_BITS) {
            return IpText.of(address);
        }
        return IpText.of(CidrAddress.create(address, ipv6Prefix).getNetworkAddress().getAddress()) + '/' + ipv6Prefix;
    }

    /** Returns the block of all prefixes that contain an address of this block. */
    public CidrAddress prefixes(CidrAddress block) {
        byte[] network = block.getNetworkAddress().getAddress();
        return network.length == 4 || block.getNetmaskBits() <= ipv6Prefix ? block : CidrAddress.create(network, ipv6Prefix);
    }

    /** Formats an address given as text. Accepts a text that already has this form. Returns any other text unchanged. */
    public String format(String text) {
        byte[] address = parse(text);
        return address == null ? text : format(address);
    }

    /** Returns whether the text is an address, or already has this form. */
    public boolean isAddress(String text) {
        return parse(text) != null;
    }

    private byte[] parse(String text) {
        String suffix = "/" + ipv6Prefix;
        if (text.endsWith(suffix) && text.indexOf(':') >= 0) {
            return IpAddress.parse(text.substring(0, text.length() - suffix.length()));
        }
        byte[] address = IpAddress.parse(text);
        return address == null ? null : IpAddress.untranslated(address);
    }
}
