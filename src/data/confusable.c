/* confusable.c - characters folded to the Latin letter they look like.
 *
 * This is not Unicode's full table of confusables: it holds what makes one English word look
 * like itself. Accented letters and compatibility forms are those with a decomposition to one
 * ASCII character (UAX 15, NFKD); the rest are chosen by eye.
 */
#include "data/confusable.h"

#include "data/text.h"

/* Rows of letters as they stand in Unicode; '.' looks like no Latin letter. */
typedef struct alphabet {
    uint32_t first;
    const char *letters;
} alphabet;

static const alphabet alphabets[] = {
    {0x00c0,
     "AAAAAA.CEEEEIIIIDNOOOOO.OUUUUY..aaaaaa.ceeeeiiii.nooooo.ouuuuy.yAaAaAaCcCcCcCcDdDdEeEeEeEeEe"
     "GgGgGgGgHhHhIiIiIiIiIi..JjKkkLlLlLlLlLlNnNnNnn..OoOoOo..RrRrRrSsSsSsSsTtTtTtUuUuUuUuUuUuWwYyY"
     "ZzZzZzs"},
    {0x0180, "bBBb...CcDDDd...EFfG..IIKkl..NnO"},
    {0x01a0, "Oo..Pp.....tTtTUu.VYyZz........"},
    {0x01cd,
     "AaIiOoUuUuUuUuUu.AaAa..GgGgKkOoOo..j...Gg..NnAa....AaAaEeEeIiIiOoOoRrRrUuUuSsTt..HhN...Zz"
     "AaEeOoOoOoOoYy"},
    {0x0391, "AB..EZH.IK.MN.O.P..TY.X..IY"}, /* Greek */
    {0x03b1, "a.y.e.n.ik.uv.o.p.otu.x.w"},
    {0x0405, "SIIJ"}, /* Cyrillic */
    {0x0410, "A.B..E.3..K.MHO.PCTY.X"},
    {0x0430, "a.B..e.3..k.mho.pcty.x"},
    {0x0455, "siij"},
    {0x1d00, "A..BCDDE..JKLM.O........P..TU...VWZ"}, /* small capitals */
    {0x1e00,
     "AaBbBbBbCcDdDdDdDdDdEeEeEeEeEeFfGgHhHhHhHhHhIiIiKkKkKkLlLlLlLlMmMmMmNnNnNnNnOoOoOoOoPpPpRrRr"
     "RrRrSsSsSsSsSsTtTtTtTtUuUuUuUuUuVvVvWwWwWwWwWwXxXxYyZzZzZzhtwy.s....AaAaAaAaAaAaAaAaAaAaAaAa"
     "EeEeEeEeEeEeEeEeIiIiOoOoOoOoOoOoOoOoOoOoOoOoUuUuUuUuUuUuUuYyYyYyYy"},
    {0x2070, "0i..456789+-=()n0123456789+-=()"},
    {0x02b0, "h.jr...wy"},
    {0x02e1, "lsx"},
    {0x1d2c, "A.B.DE.GHIJKLMN.O.PRTUWa...bde...g.km.o...ptu..v......iruv....."}, /* superscript,
                                                                                    subscript */
    {0x2090, "aeox.hklmnpst"},
    {0x2102,
     "C.......gHHHh.IILl.N...PQRRR......Z...Z.KABC.eEF.Mo....i......"}, /* letter-like symbols */
    {0x2160, "I...V....X..LCDMi...v....x..lcdm"},                       /* Roman numerals */
    {0x2460, "123456789"},
    {0x24b6, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0"},
    {0xff01,
     "!\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz"
     "{|}~"}, /* fullwidth */
};

/* Single ones; a letter that stands in no row. */
static const struct {
    uint32_t code;
    char letter;
} singles[] = {
    {0x0251, 'a'},  {0x0253, 'b'}, {0x0256, 'd'},  {0x0257, 'd'},  {0x0260, 'g'}, {0x0266, 'h'},
    {0x0268, 'i'},  {0x0269, 'i'}, {0x026b, 'l'},  {0x026d, 'l'},  {0x0271, 'm'}, {0x0272, 'n'},
    {0x0273, 'n'},  {0x0275, 'o'}, {0x027e, 'r'},  {0x0282, 's'},  {0x0288, 't'}, {0x028b, 'v'},
    {0x0290, 'z'},  {0x0401, 'E'}, {0x0450, 'e'},  {0x0451, 'e'},  {0x0261, 'g'}, {0x0299, 'B'},
    {0x029f, 'L'},  {0x0280, 'R'}, {0x028f, 'Y'},  {0x0274, 'N'},  {0x026a, 'I'}, {0x0262, 'G'},
    {0x029c, 'H'},  {0x03f2, 'c'}, {0x03f3, 'j'},  {0x03f9, 'C'},  {0x0493, 'f'}, {0x04ae, 'Y'},
    {0x04af, 'y'},  {0x04bb, 'h'}, {0x04c0, 'I'},  {0x04cf, 'l'},  {0x0501, 'd'}, {0x051a, 'Q'},
    {0x051b, 'q'},  {0x051c, 'W'}, {0x051d, 'w'},  {0x0578, 'n'},  {0x057d, 'u'}, {0x0581, 'g'},
    {0x0585, 'o'},  {0x0570, 'h'}, {0x2010, '-'},  {0x2011, '-'},  {0x2012, '-'}, {0x2013, '-'},
    {0x2014, '-'},  {0x2212, '-'}, {0x2018, '\''}, {0x2019, '\''}, {0x201c, '"'}, {0x201d, '"'},
    {0x2024, '.'},  {0x2044, '/'}, {0x2215, '/'},  {0x2236, ':'},  {0xa789, ':'}, {0x02d0, ':'},
    {0x0589, ':'},  {0x05c3, ':'}, {0xfe55, ':'},  {0xfe13, ':'},  {0x2039, '<'}, {0x203a, '>'},
    {0x3008, '<'},  {0x3009, '>'}, {0x27e8, '<'},  {0x27e9, '>'},  {0x2223, '|'}, {0x01c0, '|'},
    {0x23d0, '|'},  {0x2118, 'P'}, {0x2148, 'i'},  {0x2149, 'j'},  {0x237a, 'a'}, {0xab75, 'I'},
    {0xfe68, '\\'},
};

typedef struct range {
    uint32_t first, last;
} range;

/* Not seen: joiners, marks of direction, combining marks, selectors, tags, and U+FFFD, by which
 * mg_text_clean() puts what it took out. */
static const range unseen[] = {
    {0x00ad, 0x00ad},   {0x0300, 0x036f},   {0x0483, 0x0489}, {0x061c, 0x061c}, {0x115f, 0x1160},
    {0x17b4, 0x17b5},   {0x180b, 0x180f},   {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff}, {0x200b, 0x200f},
    {0x202a, 0x202e},   {0x2060, 0x206f},   {0x20d0, 0x20ff}, {0x2800, 0x2800}, {0x3164, 0x3164},
    {0xfe00, 0xfe0f},   {0xfe20, 0xfe2f},   {0xfeff, 0xfeff}, {0xffa0, 0xffa0}, {0xfff0, 0xfffd},
    {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},
};

static const range blanks[] = {
    {0x00a0, 0x00a0}, {0x1680, 0x1680}, {0x2000, 0x200a},
    {0x202f, 0x202f}, {0x205f, 0x205f}, {0x3000, 0x3000},
};

static const range line_ends[] = {{0x0085, 0x0085}, {0x2028, 0x2029}};

static bool is_in(uint32_t code, const range *ranges, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (code >= ranges[i].first && code <= ranges[i].last)
            return true;
    }
    return false;
}

/* Mathematical letters: alphabets of 52 in a row, then Greek, then digits by tens. */
static char mathematical(uint32_t code)
{
    const uint32_t letter = (code - 0x1d400) % 52;
    if (code >= 0x1d400 && code < 0x1d6a4)
        return (char)(letter < 26 ? 'A' + letter : 'a' + (letter - 26));
    if (code >= 0x1d7ce && code <= 0x1d7ff)
        return (char)('0' + (code - 0x1d7ce) % 10);
    return '\0';
}

static char looks_like(uint32_t code)
{
    for (size_t i = 0; i < MG_COUNT(alphabets); i++) {
        const size_t len = strlen(alphabets[i].letters);
        if (code < alphabets[i].first || code - alphabets[i].first >= len)
            continue;
        const char letter = alphabets[i].letters[code - alphabets[i].first];
        if (letter != '.' || code == 0xff0e)
            return letter;
    }
    for (size_t i = 0; i < MG_COUNT(singles); i++) {
        if (singles[i].code == code)
            return singles[i].letter;
    }
    if (code >= 0x1f130 && code <= 0x1f189) /* squared and circled letters, 26 in 32 */
        return (code - 0x1f130) % 32 < 26 ? (char)('A' + (code - 0x1f130) % 32) : '\0';
    return mathematical(code);
}

static uint32_t decode(const unsigned char *p, size_t len)
{
    if (len == 2)
        return (p[0] & 0x1fu) << 6 | (p[1] & 0x3fu);
    if (len == 3)
        return (p[0] & 0xfu) << 12 | (p[1] & 0x3fu) << 6 | (p[2] & 0x3fu);
    return (p[0] & 7u) << 18 | (p[1] & 0x3fu) << 12 | (p[2] & 0x3fu) << 6 | (p[3] & 0x3fu);
}

/* The byte of a character in the shadow; 0: it is not seen. */
static char shadow_char(mg_str s, size_t len)
{
    if (len <= 1)
        return s.ptr[0];
    const uint32_t code = decode((const unsigned char *)s.ptr, len);
    if (is_in(code, unseen, MG_COUNT(unseen)))
        return '\0';
    if (is_in(code, blanks, MG_COUNT(blanks)))
        return ' ';
    if (is_in(code, line_ends, MG_COUNT(line_ends)))
        return '\n';
    const char letter = looks_like(code);
    return letter != '\0' ? letter : (char)MG_SHADOW_OTHER;
}

static unsigned hex_value(char c)
{
    return c >= '0' && c <= '9'   ? (unsigned)(c - '0')
           : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
                                  : 99;
}

/* How long a control character is that mg_text_clean() made visible ("\x1b", with "[31m" after
 * it): a terminal would not show it. 0: there is none. */
static size_t control_len(mg_str s)
{
    if (s.len < 4 || s.ptr[0] != '\\' || s.ptr[1] != 'x')
        return 0;
    const unsigned high = hex_value(s.ptr[2]), low = hex_value(s.ptr[3]);
    if (high > 15 || low > 15 || (high * 16 + low >= 0x20 && high * 16 + low != 0x7f))
        return 0;
    if (high * 16 + low != 0x1b || s.len < 5 || s.ptr[4] != '[')
        return 4;
    size_t len = 5;
    while (len < s.len && len < 40 && s.ptr[len] >= 0x20 && s.ptr[len] < 0x40)
        len++;
    return len < s.len ? len + 1 - (((unsigned char)s.ptr[len] & 0x80) != 0) : len;
}

mg_shadow mg_shadow_of(mg_str text, mg_arena *arena)
{
    char *shadow = mg_arena_alloc(arena, text.len + 1);
    uint32_t *at = mg_new_array(arena, uint32_t, text.len + 1);
    size_t count = 0;
    for (size_t i = 0; i < text.len;) {
        const mg_str rest = mg_str_from(text, i);
        const size_t control = control_len(rest);
        const size_t len = control > 0 ? control : MG_MAX(mg_utf8_len(rest), (size_t)1);
        const char c = control > 0 ? '\0' : shadow_char(rest, len);
        if (c != '\0') {
            shadow[count] = c;
            at[count++] = (uint32_t)i;
        }
        i += len;
    }
    at[count] = (uint32_t)text.len;
    return (mg_shadow){{shadow, count}, at};
}
