/* Which addresses may be asked. */
#include "world/world.h"

#include "test.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/un.h>

static bool allowed(const char *text, const mg_strs *allow)
{
    struct sockaddr_in v4 = {.sin_family = AF_INET};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};
    if (inet_pton(AF_INET, text, &v4.sin_addr) == 1)
        return mg_address_allowed((struct sockaddr *)&v4, allow);
    if (inet_pton(AF_INET6, text, &v6.sin6_addr) != 1)
        test_fail(__FILE__, __LINE__, "'%s' is no address", text);
    return mg_address_allowed((struct sockaddr *)&v6, allow);
}

static const struct {
    bool want;
    const char *text;
} addresses[] = {
    {true, "127.0.0.1"},
    {true, "127.255.255.254"},
    {true, "0.0.0.0"},
    {true, "10.0.0.1"},
    {true, "172.16.0.1"},
    {true, "192.168.1.1"},
    {true, "100.64.0.1"},
    {true, "93.184.216.34"},
    {true, "169.253.255.255"},
    {true, "169.255.0.0"},
    {true, "100.100.100.201"},
    {true, "::1"},
    {true, "::"},
    {true, "fd00::1"},
    {true, "2606:2800:220:1::1"},
    {true, "::ffff:127.0.0.1"},
    {true, "2002:0a00:0001::1"},
    {true, "64:ff9b::5db8:d822"},
    {true, "fec0::1"},
    {false, "169.254.0.1"},
    {false, "169.254.169.254"},
    {false, "169.254.170.2"},
    {false, "169.254.255.255"},
    {false, "100.100.100.200"},
    {false, "168.63.129.16"},
    {false, "192.0.0.192"},
    {false, "fe80::1"},
    {false, "febf:ffff::1"},
    {false, "ff02::1"},
    {false, "fd00:ec2::254"},
    {false, "fd20:ce::254"},
    {false, "fd00:42::42"},
    {false, "::ffff:169.254.169.254"},
    {false, "::169.254.169.254"},
    {false, "::ffff:0:169.254.169.254"},
    {false, "64:ff9b::169.254.169.254"},
    {false, "64:ff9b:1::169.254.169.254"},
    {false, "2002:a9fe:a9fe::1"},
    {false, "2001:0:a9fe:a9fe::1"},
    {false, "2001::5601:5601"}, /* a Teredo client, its bits turned round */
};

TEST(loopback_and_private_ranges_are_open_and_metadata_is_not)
{
    for (size_t i = 0; i < MG_COUNT(addresses); i++)
        if (allowed(addresses[i].text, NULL) != addresses[i].want)
            test_fail(__FILE__, __LINE__, "'%s' should be %s", addresses[i].text,
                      addresses[i].want ? "allowed" : "refused");
}

TEST(allow_opens_an_address_or_a_prefix_and_no_more)
{
    mg_strs one = {0}, range = {0}, six = {0};
    mg_strs_add(t->arena, &one, MG_STR("169.254.169.254"));
    mg_strs_add(t->arena, &range, MG_STR("10.0.0.0/8"));
    mg_strs_add(t->arena, &range, MG_STR("169.254.128.0/17"));
    mg_strs_add(t->arena, &six, MG_STR("fe80::/64"));
    EXPECT(allowed("169.254.169.254", &one));
    EXPECT(allowed("::ffff:169.254.169.254", &one));
    EXPECT(!allowed("169.254.169.253", &one));
    EXPECT(!allowed("fe80::1", &one));
    EXPECT(allowed("169.254.169.254", &range));
    EXPECT(!allowed("169.254.127.1", &range));
    EXPECT(allowed("fe80::1", &six));
    EXPECT(!allowed("fe80:0:0:1::1", &six));
    EXPECT(!allowed("169.254.169.254", &six));
}

TEST(a_family_nobody_knows_is_refused)
{
    const struct sockaddr_un un = {.sun_family = AF_UNIX};
    EXPECT(!mg_address_allowed((const struct sockaddr *)&un, NULL));
}

TEST(rules_are_addresses_or_prefixes)
{
    static const char *const good[] = {"169.254.169.254", "169.254.0.0/16", "0.0.0.0/0",
                                       "fe80::/10",       "fe80::1",        "::/0",
                                       "1.2.3.4/32"};
    static const char *const bad[] = {"",         "localhost",  "169.254",        "1.2.3.4/33",
                                      "1.2.3.4/", "1.2.3.4/-1", "fe80::1%eth0",   "::/129",
                                      "[::1]",    "1.2.3.4/8 ", "http://1.2.3.4", "/8",
                                      "1.2.3.4/a"};
    for (size_t i = 0; i < MG_COUNT(good); i++)
        EXPECT_OK(mg_address_rule_valid(mg_str_of(good[i]), &t->err));
    for (size_t i = 0; i < MG_COUNT(bad); i++) {
        EXPECT_EQ(MG_ERR_INVALID, mg_address_rule_valid(mg_str_of(bad[i]), &t->err));
        EXPECT_ERR_CONTAINS("169.254.0.0/16");
    }
}
