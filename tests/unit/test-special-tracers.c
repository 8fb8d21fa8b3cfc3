/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "special-events.h"

static void latencies(void **state)
{
	struct world w;

	(void)state;
	begin(&w, "", 18);
	put(&w, 8, 8, 12345);
	put(&w, 16, 8, 1000000);
	put(&w, 24, 8, 999);
	put(&w, 32, 4, 1);
	put(&w, 40, 4, 22);
	check(&w, 16, 52, "1000000      12345  98.76550     999"
	      "      1      0     22      0      0");
	memset(w.data + 8, 0, 100);
	put(&w, 8, 4, 17);
	put(&w, 12, 4, 1);
	put(&w, 16, 8, 4711);
	check(&w, 17, 24, "#17    context thread timer_latency      4711 ns");
	put(&w, 12, 4, 77);
	check(&w, 17, 24, "#17    context      ? timer_latency      4711 ns");
	memset(w.data + 8, 0, 100);
	put(&w, 8, 8, 11);
	put(&w, 16, 8, 12);
	put(&w, 32, 8, 1700000000);
	put(&w, 40, 8, 5);
	put(&w, 52, 4, 3);
	put(&w, 56, 4, 2);
	check(&w, 15, 60, "#3     inner/outer(us):   11/12    ts:1700000000.000000005 count:2");
	put(&w, 24, 8, 99);
	put(&w, 48, 4, 4);
	check(&w, 15, 60, "#3     inner/outer(us):   11/12    ts:1700000000.000000005 count:2"
	      " nmi-total:99 nmi-count:4");
	end(&w);
}

static void switches(void **state)
{
	struct world w;

	(void)state;
	begin(&w, "", 18);
	put(&w, 8, 4, 12);
	put(&w, 12, 4, 7);
	put(&w, 16, 4, 3);
	put(&w, 20, 4, 8 << 24 | 98 << 16 | 1 << 8 | 120);
	check(&w, 2, 24, "      12:120:S ==> [003]       7: 98:I seven");
	put(&w, 20, 4, 99U << 24 | 98 << 16 | 1 << 8 | 120);
	check(&w, 3, 24, "      12:120:S   + [003]       7: 98:? seven");
	end(&w);
}

static void mmio(void **state)
{
	struct world w;

	(void)state;
	begin(&w, "", 18);
	put(&w, 8, 8, 0xfe000010);
	put(&w, 16, 8, 0x123456);
	put(&w, 24, 8, 0xffff);
	put(&w, 32, 4, 2);
	put(&w, 36, 2, 4 << 8 | 1);
	check(&w, 7, 40, "R 4 12.345679 2 0xfe000010 0x123456 0xffff 0");
	put(&w, 36, 2, 4 << 8 | 2);
	check(&w, 7, 40, "W 4 12.345679 2 0xfe000010 0x123456 0xffff 0");
	put(&w, 36, 2, 4 << 8 | 5);
	check(&w, 7, 40, "UNKNOWN 12.345679 2 0xfe000010 12,34,56 0xffff 0");
	put(&w, 36, 1, 3);
	check(&w, 7, 40, "rw what?");
	check(&w, 8, 40, "MAP 12.345679 2 0xfe000010 0x123456 0xffff 0x0 0");
	put(&w, 36, 1, 4);
	check(&w, 8, 40, "UNMAP 12.345679 2 0x0 0");
	end(&w);
}

static void put_blk(struct world *w, bool is_new, uint64_t action, uint32_t bytes, uint32_t len)
{
	put(w, 4, 4, 7);
	put(w, 16, 8, 2048);
	put(w, 24, 4, bytes);
	put(w, is_new ? 28 : 32, 4, 7);
	put(w, is_new ? 32 : 28, is_new ? 8 : 4, action);
	put(w, is_new ? 40 : 36, 4, 8 << 20 | 1);
	put(w, is_new ? 48 : 44, 2, 5);
	put(w, is_new ? 50 : 46, 2, len);
}

static void blk(void **state)
{
	struct world w;

	(void)state;
	begin(&w, "", 18);
	put_blk(&w, false, 1 | (2 | 1 << 3 | 1 << 8) << 16, 4096, 0);
	check(&w, 13, 48, "  8,1    Q  WS 2048 + 8 [seven]");
	put_blk(&w, false, 8 | 1 << 23, 0, 0);
	check(&w, 13, 48, "  8,1    C   N 2048 [5]");
	put_blk(&w, false, 15 | 1 << 20, 1024, 16);
	memcpy(w.data + 48, "\000\200\000\002\000\000\000\000\000\000\000\000\000\000\020\000", 16);
	check(&w, 13, 64, "  8,1    A   R 2048 + 2 <- (8,2) 4096");
	put_blk(&w, false, 10, 0, 8);
	memcpy(w.data + 48, "\000\000\000\000\000\000\000\003", 8);
	check(&w, 13, 56, "  8,1    U   N [seven] 3");
	put_blk(&w, false, 13, 512, 8);
	check(&w, 13, 56, "  8,1    X   R 2048 / 3 [seven]");
	put_blk(&w, false, 7 | 1 << 25, 36, 6);
	memcpy(w.data + 48, "\022\000\044\000\000\000", 6);
	check(&w, 13, 56, "  8,1    D   R 36 (12 00 24 00 ..) [seven]");
	put_blk(&w, false, 2 | 1 << 8 | 1 << 26, 0, 13);
	put(&w, 48, 8, UINT64_C(1) << 32 | 0xabc);
	memcpy(w.data + 56, "hello", 5);
	check(&w, 13, 64, "  8,1   abc,1  m   N hello");
	put_blk(&w, false, 200, 0, 0);
	check(&w, 13, 48, "Unknown action c8");
	memset(w.data, 0, sizeof(w.data));
	put_blk(&w, true, 1 | UINT64_C(1) << 38, 4096, 0);
	check(&w, 13, 64, "  8,1    Q  WZ 2048 + 8 [seven]");
	/* Between user_stack and bputs, and nowhere else */
	assert_null(tsh_decoder_format(w.d, 6));
	assert_null(tsh_decoder_format(w.d, 0));
	end(&w);

	begin(&w, "blk_classic verbose", 18);
	put_blk(&w, false, 9 | 1 << 20, 0, 0);
	check(&w, 13, 48, "  8,1    1    12.345678901     7 plug   N [seven]");
	end(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(latencies),
		cmocka_unit_test(switches),
		cmocka_unit_test(mmio),
		cmocka_unit_test(blk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
