package io.quarkiverse.ratelimit.runtime.caller.address;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Random;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AddressFormTest {

    @ParameterizedTest
    @CsvSource({
            "203.0.113.7,                             64,  203.0.113.7",
            "::ffff:203.0.113.7,                      64,  203.0.113.7",
            "::FFFF:cb00:7107,                        64,  203.0.113.7",
            "0:0:0:0:0:ffff:203.0.113.7,              64,  203.0.113.7",
            "2001:db8:1:2:3:4:5:6,                    64,  2001:db8:1:2::/64",
            "2001:DB8:0001:0002:0003:4:5:6,           64,  2001:db8:1:2::/64",
            "2001:db8:1:2::/64,                       64,  2001:db8:1:2::/64",
            "2001:db8:1:2:3:4:5:6,                    56,  2001:db8:1::/56",
            "2001:db8:1:ff:3:4:5:6,                   60,  2001:db8:1:f0::/60",
            "2001:db8::1,                             128, 2001:db8::1",
            "2001:db8:0:0:1:0:0:1,                    128, 2001:db8::1:0:0:1",
            "2001:0:0:1:0:0:0:1,                      128, 2001:0:0:1::1",
            "2001:db8:0:1:1:1:1:1,                    128, 2001:db8:0:1:1:1:1:1",
            "::,                                      128, ::",
            "::1,                                     64,  ::/64",
            "::1.2.3.4,                               128, ::102:304",
            "64:ff9b::203.0.113.7,                    64,  203.0.113.7",
            "64:FF9B::cb00:7107,                      128, 203.0.113.7",
            "64:ff9b:1::203.0.113.7,                  64,  203.0.113.7",
            "64:ff9b:1:fffe:0:ab:203.0.113.7,         64,  203.0.113.7",
            "64:ff9b:1:1234:cb:71:700::,              64,  203.0.113.7",
            "64:ff9b:1:0:cb:71::,                     64,  203.0.113.0",
            "64:ff9b:1:12cb:0:7107::,                 64,  203.0.113.7",
            "64:ff9b:1:cb00:71:700::,                 64,  203.0.113.7",
            "64:ff9b::,                               64,  64:ff9b::/64",
            "64:ff9b::0.1.2.3,                        64,  64:ff9b::/64",
            "64:ff9b::1:203.0.113.7,                  64,  64:ff9b::/64",
            "64:ff9b:1:cb00::/64,                     64,  64:ff9b:1:cb00::/64",
            "64:ff9b:1:cb00:171:700::,                64,  64:ff9b:1:cb00::/64",
            "64:ff9b:2::203.0.113.7,                  64,  64:ff9b:2::/64",
            "64:ff9b:100::203.0.113.7,                64,  64:ff9b:100::/64",
            "fe80::1%eth0.7,                          64,  fe80::/64"
    })
    void addressIsWrittenInOneForm(String address, int prefix, String form) {
        assertThat(new AddressForm(prefix).format(address)).isEqualTo(form);
    }

    @ParameterizedTest
    @ValueSource(strings = { "alice", "", "1.2.3", "1.2.3.4.5", "256.1.1.1", "1.2.3.4%eth0", "1.2.3.4/64", "0x1.2.3.4", "1:2",
            "1:2:3:4:5:6:7::1.2.3.4", "1::2::3", ":::", "12345::", "g::", "[::1]", "2001:db8::/56", "localhost",
            "::ffff:1.2.3", "1.2.3.4:80", "\uff11.1.1.1" })
    void whatIsNoAddressIsLeftAlone(String text) {
        assertThat(new AddressForm(64).format(text)).isEqualTo(text);
    }

    @Test
    void allSpellingsOfAnAddressShareOneForm() throws UnknownHostException {
        Random random = new Random(7);
        AddressForm exact = new AddressForm(128);
        for (int i = 0; i < 20_000; i++) {
            byte[] address = new byte[16];
            for (int b = 0; b < 16; b++) {
                address[b] = (byte) (random.nextInt(3) == 0 ? random.nextInt() : 0);
            }
            String canonical = exact.format(address);

            for (int spelling = 0; spelling < 5; spelling++) {
                assertThat(exact.format(spell(address, random))).isEqualTo(canonical);
            }
            assertThat(((Inet6Address) InetAddress.getByName(canonical)).getAddress()).isEqualTo(address);
        }
    }

    /** Leading zeros, upper case, any run of zeros left out, dots at the end. */
    private static String spell(byte[] address, Random random) {
        boolean dots = random.nextBoolean();
        int groups = dots ? 6 : 8;
        int from = random.nextInt(groups + 1);
        int to = from;
        while (to < groups && address[2 * to] == 0 && address[2 * to + 1] == 0) {
            to++;
        }
        StringBuilder text = new StringBuilder();
        for (int group = 0; group < groups; group++) {
            if (group == from && to - from > 1) {
                text.append(group == 0 ? "::" : ":");
                group = to - 1;
                continue;
            }
            int value = (address[2 * group] & 0xff) << 8 | address[2 * group + 1] & 0xff;
            String hex = String.format(random.nextBoolean() ? "%04X" : "%x", value);
            text.append(hex).append(group == 7 ? "" : ":");
        }
        if (dots) {
            for (int b = 12; b < 16; b++) {
                text.append(address[b] & 0xff).append(b == 15 ? "" : ".");
            }
        }
        return text.toString();
    }
}
