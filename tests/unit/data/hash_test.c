/* Fingerprints, against published vectors. */
#include "data/hash.h"
#include "test.h"

#include <fcntl.h>
#include <unistd.h>

TEST(sha256_known_vectors)
{
    EXPECT_STR("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
               mg_sha256_hex(t->arena, MG_STR("")));
    EXPECT_STR("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
               mg_sha256_hex(t->arena, (mg_str){0}));
    EXPECT_STR("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
               mg_sha256_hex(t->arena, MG_STR("abc")));
    EXPECT_STR("248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
               mg_sha256_hex(t->arena,
                             MG_STR("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")));
}

TEST(xxh3_known_vector)
{
    const mg_hash empty = mg_hash_bytes((mg_str){0});
    EXPECT(empty.high == 0x99aa06d3014798d8u && empty.low == 0x6001c324468d497fu);
}

TEST(any_changed_byte_changes_the_hash)
{
    char bytes[300] = {0};
    const mg_hash before = mg_hash_bytes((mg_str){bytes, sizeof bytes});
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = 1;
        EXPECT(!mg_hash_eq(before, mg_hash_bytes((mg_str){bytes, sizeof bytes})));
        bytes[i] = 0;
    }
    EXPECT(!mg_hash_eq(before, mg_hash_bytes((mg_str){bytes, sizeof bytes - 1})));
    EXPECT(mg_hash_eq(before, mg_hash_bytes((mg_str){bytes, sizeof bytes})));
}

TEST(a_file_hashes_like_its_bytes)
{
    static const size_t sizes[] = {0, 1, 65535, 65536, 65537, 200000};
    for (size_t i = 0; i < MG_COUNT(sizes); i++) {
        char *bytes = mg_arena_alloc(t->arena, sizes[i]);
        for (size_t j = 0; j < sizes[i]; j++)
            bytes[j] = (char)(j * 31);
        test_write(t, "f", (mg_str){bytes, sizes[i]});
        MG_AUTO_FD fd = openat(t->dir_fd, "f", O_RDONLY | O_CLOEXEC);
        mg_hash got;
        EXPECT_OK(mg_hash_fd(fd, NULL, NULL, &got, &t->err));
        EXPECT(mg_hash_eq(mg_hash_bytes((mg_str){bytes, sizes[i]}), got));
    }
}

TEST(what_cannot_be_read_has_no_hash)
{
    mg_hash got = {1, 2};
    EXPECT(mg_hash_fd(t->dir_fd, NULL, NULL, &got, &t->err) != MG_OK);
    EXPECT_ERR_CONTAINS("it cannot be read");
    EXPECT(got.high == 1 && got.low == 2);
}

static mg_status stop_after_two(const void *data, mg_err *err)
{
    int *asked = *(int *const *)data;
    return ++*asked < 3 ? MG_OK : mg_fail(err, MG_ERR_TIMEOUT, "enough");
}

TEST(a_hash_can_be_broken_off_and_is_then_none)
{
    MG_AUTO_FD zero = open("/dev/zero", O_RDONLY | O_CLOEXEC); /* it never ends by itself */
    int asked = 0, *counter = &asked;
    mg_hash got = {1, 2};
    EXPECT_EQ(MG_ERR_TIMEOUT, mg_hash_fd(zero, stop_after_two, &counter, &got, &t->err));
    EXPECT_EQ(3, asked);
    EXPECT(got.high == 1 && got.low == 2);
}
