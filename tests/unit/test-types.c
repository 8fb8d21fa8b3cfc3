/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "made-btf.h"

#include "engine/types/struct.h"
#include "output/output.h"

/* The types of a made BTF as source of C and of Rust, and as a table. */

static void expect_source(struct asked *a, const char *name,
			  void (*print)(struct tsh_out *out, struct tsh_btf *btf, const struct tsh_btf_type *type,
					const char *name),
			  const char *want)
{
	struct tsh_btf_type type = tsh_btf_type(a->btf, find(a, name));
	struct tsh_out out;

	tsh_out_init(&out, -1, TSH_FORMAT_TEXT);
	print(&out, a->btf, &type, NULL);
	assert_string_equal(out.data.buf, want);
	tsh_out_release(&out);
}

static void test_c(void **state)
{
	struct made kernel;
	struct asked a;

	(void)state;
	fill(&kernel);
	ask(&a, &kernel, NULL);
	expect_source(&a, "node", tsh_struct_print_c,
		      "struct node {\n"
		      "\tstruct node *next;\n"
		      "\tint low : 3;\n"
		      "\tunsigned char : 3;\n"
		      "\tint high : 10;\n"
		      "\tint count;\n"
		      "\tunion {\n"
		      "\t\tstruct node *owner;\n"
		      "\t\tint flags;\n"
		      "\t};\n"
		      "\tchar name[13];\n"
		      "\tint (*call)(struct node *, const char *);\n"
		      "\tconst char *text;\n"
		      "\tunsigned char __pad0[8];\n"
		      "};\n"
		      "_Static_assert(sizeof(struct node) == 64, \"64 bytes\");\n");
	finish(&a);
}

static void test_rust(void **state)
{
	struct made kernel;
	struct asked a;

	(void)state;
	fill(&kernel);
	ask(&a, &kernel, NULL);
	expect_source(&a, "node", tsh_struct_print_rust,
		      "#[allow(non_camel_case_types, non_upper_case_globals)]\n"
		      "#[repr(C, align(8))]\n"
		      "#[derive(Clone, Copy)]\n"
		      "pub struct node {\n"
		      "    pub next: *mut core::ffi::c_void, // struct node *\n"
		      "    pub _bits0: [u8; 1], // int low : 3\n"
		      "    pub _bits1: [u8; 1], // int high : 10\n"
		      "    pub _pad2: [u8; 2],\n"
		      "    pub count: i32, // u32\n"
		      "    pub _member3: [u8; 8], // union {..}\n"
		      "    pub name: [i8; 13], // char[13]\n"
		      "    pub _pad4: [u8; 3],\n"
		      "    pub call: *mut core::ffi::c_void, // int (*)(struct node *node, const char *)\n"
		      "    pub text: *mut core::ffi::c_void, // const char *\n"
		      "    pub _pad5: [u8; 8],\n"
		      "}\n"
		      "const _: () = assert!(core::mem::size_of::<node>() == 64);\n");
	finish(&a);
}

/* A structure that a compiler would lay out otherwise is packed, and its gaps are written down. */
static void test_packed(void **state)
{
	struct made kernel;
	struct asked a;

	(void)state;
	fill(&kernel);
	assert_true(type(&kernel, TSH_BTF_STRUCT, "odd", 2, 9) > U32_ID);
	member(&kernel, "first", CHAR_ID, 0);
	member(&kernel, "number", INT_ID, 24);
	ask(&a, &kernel, NULL);
	expect_source(&a, "odd", tsh_struct_print_c,
		      "struct odd {\n"
		      "\tchar first;\n"
		      "\tunsigned char __pad0[2];\n"
		      "\tint number;\n"
		      "\tunsigned char __pad1[2];\n"
		      "} __attribute__((packed));\n"
		      "_Static_assert(sizeof(struct odd) == 9, \"9 bytes\");\n");
	finish(&a);
}

/* The least number of an enumeration has no literal in C. */
static void test_enum(void **state)
{
	struct made kernel;
	struct asked a;

	(void)state;
	fill(&kernel);
	assert_true(type(&kernel, TSH_BTF_ENUM64, "limits", BIT_FIELDS | 2, 8) > U32_ID);
	member(&kernel, "LEAST", 0, UINT32_C(1) << 31);
	member(&kernel, "MINUS_ONE", UINT32_MAX, UINT32_MAX);
	ask(&a, &kernel, NULL);
	expect_source(&a, "limits", tsh_struct_print_c,
		      "enum limits {\n"
		      "\tLEAST = -9223372036854775807LL - 1,\n"
		      "\tMINUS_ONE = -1,\n"
		      "};\n"
		      "_Static_assert(sizeof(enum limits) == 8, \"8 bytes\");\n");
	finish(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_c),
		cmocka_unit_test(test_rust),
		cmocka_unit_test(test_packed),
		cmocka_unit_test(test_enum),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
