/*
 * What a dataset says of its encryption without any key.
 * Source: OpenZFS dsl_crypt.c (dsl_dataset_crypt_stats), dsl_crypt.h (DSL_CRYPTO_KEY_*), dsl_dir.h
 * (DD_FIELD_CRYPTO_KEY_OBJ).
 */
#include "core/dmu/zap_read.h"
#include "core/dsl/dsl_impl.h"
#include "core/dsl/props_impl.h"

enum { KEY_UNAVAILABLE = 1 };

/* The dataset whose key wraps this one's. */
static int root_name(struct dataset *ds, struct dsl_props *p, uint64_t dir, struct err *e)
{
	struct dsl_dir d;
	struct dataset root;
	struct err     why = { 0 };

	if (dsl_dir_open(ds->pool, dir, &d, &why) < 0 ||
	    dataset_open_object(ds->pool, d.head_dataset, &root, &why) < 0) {
		err_in(&why, "%s: encryption root", ds->name);
		props_set_odd(p, &why);
		return 0;
	}
	return props_fact_text(p, PROP_ENCRYPTIONROOT, root.name, e);
}

int props_crypt(struct dataset *ds, struct dsl_props *p, struct err *e)
{
	static const struct {
		const char   *name;
		enum property id;
	} facts[] = {
		{ "DSL_CRYPTO_SUITE", PROP_ENCRYPTION }, { "DSL_CRYPTO_GUID", PROP_KEYGUID },
		{ "keyformat", PROP_KEYFORMAT },	 { "pbkdf2salt", PROP_PBKDF2SALT },
		{ "pbkdf2iters", PROP_PBKDF2ITERS },
	};
	struct objset *mos = pool_mos(ds->pool);
	uint64_t       key, n;

	if (zap_u64_at(mos, ds->dir_object, "com.datto:crypto_key_obj", &key, NULL) < 0)
		return 0;
	props_fact(p, PROP_KEYSTATUS, KEY_UNAVAILABLE);
	for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
		if (zap_u64_at(mos, key, facts[i].name, &n, NULL) < 0)
			continue;
		props_fact(p, facts[i].id, n);
		if (n == property_table[facts[i].id].number && props_applies(p, facts[i].id))
			p->slots[facts[i].id].source = DSL_PROP_DEFAULT;
	}
	if (zap_u64_at(mos, key, "DSL_CRYPTO_ROOT_DDOBJ", &n, NULL) < 0)
		return 0;
	return root_name(ds, p, n, e);
}
