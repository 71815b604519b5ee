/* Time: passed in, and written as RFC 3339. */
#include "base/clock.h"
#include "test.h"

TEST(times_are_utc_with_milliseconds)
{
    static const struct {
        int64_t ms;
        const char *text;
    } table[] = {
        {0, "1970-01-01T00:00:00.000Z"},
        {1, "1970-01-01T00:00:00.001Z"},
        {1794707403120, "2026-11-15T01:50:03.120Z"},
        {951782400000, "2000-02-29T00:00:00.000Z"},
        {253402300799999, "9999-12-31T23:59:59.999Z"},
        {-1, "1969-12-31T23:59:59.999Z"},
        {-1000, "1969-12-31T23:59:59.000Z"},
        {-86400001, "1969-12-30T23:59:59.999Z"},
    };
    for (size_t i = 0; i < MG_COUNT(table); i++)
        EXPECT_STR(table[i].text, mg_time_rfc3339(t->arena, table[i].ms));
}

TEST(the_time_zone_of_the_user_does_not_matter)
{
    (void)setenv("TZ", "Asia/Kathmandu", 1);
    tzset();
    EXPECT_STR("1970-01-01T00:00:00.000Z", mg_time_rfc3339(t->arena, 0));
}

TEST(the_systems_clock_goes_forward)
{
    uint64_t last = mg_clock_ns(&mg_clock_system);
    for (int i = 0; i < 1000; i++) {
        const uint64_t now = mg_clock_ns(&mg_clock_system);
        EXPECT(now >= last);
        last = now;
    }
    EXPECT(mg_clock_system.wall_ms(NULL) > 1700000000000);
}

static uint64_t fixed_ns(void *self)
{
    return *(uint64_t *)self;
}

TEST(a_clock_can_be_made_up)
{
    uint64_t now = 5999999;
    const mg_clock clock = {.now_ns = fixed_ns, .self = &now};
    EXPECT_EQ(5999999, mg_clock_ns(&clock));
    EXPECT_EQ(5, mg_clock_ms(&clock));
}
