import type { Tx } from '@cobro/database'
import { type MailOutbox, recipientOf } from '../mail/mail-outbox.ts'
import type { UserRow } from '../users/user-entity.ts'
import { isNewPlace, type LoginSource } from './login-failures.ts'

/**
 * Mails a user who logs in from an unknown address and without a device token. Not at its first login, and not programs at
 * their own address, which keep no token. Call it before the address is recorded as known.
 */
export async function notifyNewDevice(
  { mails, schema }: { mails: MailOutbox; schema: string },
  tx: Tx,
  user: UserRow,
  source: LoginSource,
): Promise<void> {
  if (!mails.enabled || source.device !== undefined || !(await isNewPlace(tx, schema, source))) return
  const data = { at: new Date().toISOString(), address: source.address }
  await mails.add(tx, recipientOf(user), { kind: 'new_device', data })
}
