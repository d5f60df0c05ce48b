import { type Id, newId, widestAccess } from '@cobro/contracts'
import { type Database, type Emit, newRow, type Tx } from '@cobro/database'
import { z } from 'zod'
import { ApiKeyEntity } from '../api-keys/api-key-entity.ts'
import { insertApiKey, type KeySettings } from '../api-keys/create-api-key.ts'
import { insertMerchant } from '../merchants/create-merchant.ts'
import { MerchantEntity, type MerchantRow } from '../merchants/gateway-merchant-entity.ts'
import { hashPassword } from '../secrets/password-hash.ts'
import { normalEmail, UserEntity } from '../users/user-entity.ts'

const login = z.strictObject({ email: z.email().transform(normalEmail), password: z.string().min(12) })

/** The data to create: an operator of all merchants, and merchants with one client each. */
export const seedInput = z.strictObject({
  operator: login,
  merchants: z.array(z.strictObject({ name: z.string().min(1), legal_name: z.string().min(1), client: login })),
})

type SeedInput = z.output<typeof seedInput>

interface SeedDeps {
  db: Database
  keySettings: KeySettings
}

interface Seeding {
  tx: Tx
  emit: Emit
  keySettings: KeySettings
  hashes: Map<string, string>
}

const keyName = 'first'

/**
 * Creates a deployment's initial data. Existing merchants (by name) and users (by e-mail) are left
 * unchanged. Only the run that creates a merchant returns its API key.
 */
export async function seedData({ db, keySettings }: SeedDeps, input: SeedInput) {
  const logins = [input.operator, ...input.merchants.map(merchant => merchant.client)]
  const hashes = new Map<string, string>()
  for (const { email, password } of logins) hashes.set(email, await hashPassword(password))
  return db.write(async (tx, emit) => {
    await tx.execute('select pg_advisory_xact_lock(hashtextextended(?, 0))', [`seed:${db.schema}`])
    const seeding = { tx, emit, keySettings, hashes }
    await ensureUser(seeding, input.operator.email, { role: 'operator', merchants: 'all' })
    const merchants = []
    for (const wanted of input.merchants) merchants.push(await seedMerchant(seeding, wanted))
    return { merchants }
  })
}

async function seedMerchant(seeding: Seeding, wanted: SeedInput['merchants'][number]) {
  const { tx, emit, keySettings } = seeding
  const { id } = await ensureMerchant(seeding, wanted)
  await ensureUser(seeding, wanted.client.email, { role: 'client', merchant_id: id })
  const keys = await tx.count(ApiKeyEntity, { merchant_id: id })
  const created =
    keys > 0 ? null : insertApiKey({ settings: keySettings, tx, emit }, { merchant_id: id, name: keyName })
  return { merchant_id: id, api_key: created?.key ?? null }
}

async function ensureMerchant(
  { tx, emit }: Seeding,
  { name, legal_name }: SeedInput['merchants'][number],
): Promise<MerchantRow> {
  const found = await tx.findOne(MerchantEntity, { name, deleted_at: null })
  return found ?? insertMerchant(tx, emit, { name, legal_name })
}

type Anchor = { role: 'operator'; merchants: 'all' } | { role: 'client'; merchant_id: Id<'mrc'> }

async function ensureUser({ tx, emit, hashes }: Seeding, email: string, anchor: Anchor): Promise<void> {
  if (await tx.findOne(UserEntity, { email })) return
  const now = new Date()
  const user = newRow(tx, UserEntity, {
    id: newId('usr'),
    email,
    password_hash: hashes.get(email) ?? null,
    status: 'active',
    access: widestAccess(anchor.role),
    credentials_since: now,
    ...anchor,
    created_at: now,
    updated_at: now,
  })
  await tx.flush()
  emit('user.created', user)
}
