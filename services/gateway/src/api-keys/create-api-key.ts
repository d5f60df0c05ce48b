import { ApiError, type apiKeyOperations, type BodyOf, type Caller, newId, type ResponseOf } from '@cobro/contracts'
import { type Database, type Emit, merchantOf, newRow, type Tx } from '@cobro/database'
import type { Environment, KeyRing } from '@cobro/runtime'
import type { MailOutbox } from '../mail/mail-outbox.ts'
import { notifyMerchant } from '../mail/notify-merchant.ts'
import { ApiKeyEntity, type ApiKeyRow } from './api-key-entity.ts'
import { maskedApiKey, newApiKey } from './api-key-format.ts'
import { apiKeyHash } from './api-key-hash.ts'
import { rejectWiderScopes } from './reject-wider-scopes.ts'

/** Settings for generating and verifying API keys. */
export interface KeySettings {
  environment: Environment
  peppers: KeyRing
}

type Input = BodyOf<typeof apiKeyOperations.create>
type CreatedApiKey = ResponseOf<typeof apiKeyOperations.create>

/** What creating keys needs. */
export interface NewKeyDeps {
  db: Database
  keySettings: KeySettings
  mails: MailOutbox
}

/** Creates an API key for the caller's merchant. */
export function createApiKey(
  { db, keySettings, mails }: NewKeyDeps,
  caller: Caller,
  input: Input,
): Promise<CreatedApiKey> {
  rejectWiderScopes(caller, input.scopes ?? null)
  return db.write(async (tx, emit) => {
    const key = insertApiKey({ settings: keySettings, tx, emit }, { ...input, merchant_id: merchantOf(caller) })
    await notifyNewKey(mails, tx, key)
    return key
  })
}

/** Mails those who manage the keys of a merchant that it has a new one. */
export async function notifyNewKey(mails: MailOutbox, tx: Tx, created: CreatedApiKey): Promise<void> {
  const { merchant_id, name, key } = created
  const shown = { at: new Date().toISOString(), name, key_masked: maskedApiKey(key) }
  await notifyMerchant(mails, tx, { merchant_id, accesses: ['owner', 'developer'] }, ({ merchant_name }) => ({
    kind: 'key_created',
    data: { ...shown, merchant_name },
  }))
}

/** Inserts an API key and emits `api_key.created`. Returns the key itself, which is not stored. */
export function insertApiKey(
  { settings, tx, emit }: { settings: KeySettings; tx: Tx; emit: Emit },
  { merchant_id, name, allowed_ips = null, scopes = null, expires_at = null }: Input & Pick<ApiKeyRow, 'merchant_id'>,
): CreatedApiKey {
  const key = newApiKey(settings.environment)
  const now = new Date()
  if (expires_at && expires_at <= now)
    throw new ApiError('invalid_request', 'expires_at: expected a time in the future')
  const row = newRow(tx, ApiKeyEntity, {
    id: newId('key'),
    merchant_id,
    name,
    key_masked: maskedApiKey(key),
    ...apiKeyHash(settings.peppers, key),
    status: 'active',
    allowed_ips,
    scopes,
    expires_at,
    created_at: now,
    updated_at: now,
  })
  emit('api_key.created', row, { merchant_id })
  return { id: row.id, name, key, merchant_id }
}
