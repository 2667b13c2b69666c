//! Determines which addresses are public. Invariant: an IPv6 address that embeds an IPv4 address is judged by
//! the latter; an address that is not known to be public is not.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// IPv4 networks that are not public: first address and prefix length (IANA's special-purpose registry).
const SPECIAL: [(Ipv4Addr, u32); 16] = [
    (Ipv4Addr::new(0, 0, 0, 0), 8),
    (Ipv4Addr::new(10, 0, 0, 0), 8),
    // Shared address space; one cloud's metadata server is here.
    (Ipv4Addr::new(100, 64, 0, 0), 10),
    (Ipv4Addr::new(127, 0, 0, 0), 8),
    // Link-local; the other clouds' metadata server is here.
    (Ipv4Addr::new(169, 254, 0, 0), 16),
    (Ipv4Addr::new(172, 16, 0, 0), 12),
    (Ipv4Addr::new(192, 0, 0, 0), 24),
    (Ipv4Addr::new(192, 0, 2, 0), 24),
    (Ipv4Addr::new(192, 88, 99, 0), 24),
    (Ipv4Addr::new(192, 168, 0, 0), 16),
    (Ipv4Addr::new(198, 18, 0, 0), 15),
    (Ipv4Addr::new(198, 51, 100, 0), 24),
    (Ipv4Addr::new(203, 0, 113, 0), 24),
    // Multicast.
    (Ipv4Addr::new(224, 0, 0, 0), 4),
    (Ipv4Addr::new(240, 0, 0, 0), 4),
    (Ipv4Addr::new(255, 255, 255, 255), 32),
];

/// Whether `address` is public.
pub(super) fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let is_in = |&(network, length): &(Ipv4Addr, u32)| {
        let mask = u32::MAX << (32 - length);
        address.to_bits() & mask == network.to_bits()
    };
    !SPECIAL.iter().any(is_in)
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let [a, b, c, d, e, f, g, h] = address.segments();
    let inner = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        is_public_v4(Ipv4Addr::new(a, b, c, d))
    };
    match (a, b) {
        // IPv4-mapped addresses, and those of NAT64's well-known prefix.
        (0, 0) if (c, d, e, f) == (0, 0, 0, 0xFFFF) => inner(g, h),
        (0x64, 0xFF9B) if (c, d, e, f) == (0, 0, 0, 0) => inner(g, h),
        // 6to4.
        (0x2002, _) => inner(b, c),
        // Protocol assignments, including Teredo, and documentation.
        (0x2001, 0..0x200 | 0xDB8) | (0x3FFF, 0..0x1000) => false,
        // The range that is allocated for global unicast.
        _ => (0x2000..0x4000).contains(&a),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_everybody_can_reach_is_public() {
        let public = [
            "1.1.1.1",
            "8.8.8.8",
            "100.63.255.255",
            "100.128.0.0",
            "172.15.255.255",
            "172.32.0.0",
            "169.253.0.1",
            "192.167.255.255",
            "223.255.255.255",
            "2606:4700::1111",
            "2a00::1",
            "::ffff:8.8.8.8",
            "64:ff9b::808:808",
            "2002:808:808::1",
            "2001:4860:4860::8888",
        ];
        let other = [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "100.64.0.1",
            "100.100.100.200",
            "127.0.0.1",
            "127.255.255.254",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.1",
            "192.0.2.1",
            "192.168.1.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.1",
            "203.0.113.9",
            "224.0.0.1",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::7f00:1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "64:ff9b::7f00:1",
            "64:ff9b:1::1",
            "2002:7f00:1::",
            "2002:a9fe:a9fe::",
            "2001::1",
            "2001:db8::1",
            "100::1",
            "3fff::1",
            "fc00::1",
            "fd00:ec2::254",
            "fe80::1",
            "fec0::1",
            "ff02::1",
            "4000::1",
        ];
        for text in public {
            assert!(is_public(text.parse().expect(text)), "{text}");
        }
        for text in other {
            assert!(!is_public(text.parse().expect(text)), "{text}");
        }
    }
}
