import type { Caller, Id } from '@cobro/contracts'
import { assignRow, type Database, getRow, seal } from '@cobro/database'
import type { KeyRing } from '@cobro/runtime'
import { EndpointEntity } from './endpoint-entity.ts'
import { maskSecret, newSecret } from './webhook-secret.ts'

const overlapMs = 86_400_000

/**
 * Gives an endpoint a new secret, which is never shown again. The previous secret also signs for a
 * day, so that the receiver can switch over. An even older secret stops signing at once.
 */
export async function rotateSecret({ db, keys }: { db: Database; keys: KeyRing }, caller: Caller, id: Id<'whk'>) {
  const secret = newSecret()
  return db.write(async (tx, emit) => {
    const row = await getRow(tx, EndpointEntity, caller, id, { lock: true })
    const now = new Date()
    assignRow(row, {
      previous_secret: row.secret,
      previous_secret_until: new Date(now.getTime() + overlapMs),
      secret: seal(keys, secret),
      secret_masked: maskSecret(secret),
      updated_at: now,
    })
    emit('webhook_endpoint.rotated', row)
    return { data: row, secret }
  })
}

/** Deletes previous secrets that no longer sign. */
export async function deleteExpiredSecrets(db: Database): Promise<void> {
  await db.write(tx => tx.execute(deleteExpired))
}

const deleteExpired = `
  update webhooks.endpoints set previous_secret = null, previous_secret_until = null
  where previous_secret_until <= now()`
