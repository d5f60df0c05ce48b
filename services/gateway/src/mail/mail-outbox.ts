import { randomUUID } from 'node:crypto'
import { type Database, seal, type Tx } from '@cobro/database'
import type { KeyRing } from '@cobro/runtime'
import type { MailKind, MailLanguage, NewMail } from './mail-kinds.ts'
import { countMail } from './mail-metrics.ts'

/** The most mails of a kind that an address gets in an hour of what strangers can cause, of each merchant. Further ones are dropped. */
const maxPerHour = 10
/** How long a mail is tried. */
const triedFor = "interval '3 days'"
const limited: ReadonlySet<MailKind> = new Set(['new_device', 'password_reset', 'payer_receipt', 'payer_refund'])
const keptFor = "interval '30 days'"

/** The countries whose merchants get mails in Spanish. */
const spanishSpeaking = `'AR','BO','CL','CO','CR','CU','DO','EC','ES','GQ','GT','HN','MX','NI','PA','PE','PR','PY','SV','UY','VE'`

/** Who gets a mail. The language is that of its merchant's country. */
export interface MailRecipient {
  email: string
  user_id: string | null
  merchant_id: string | null
}

/** A single-use token and when it expires: the mail is useless afterwards. */
interface MailToken {
  token: string
  expires_at: Date
}

/** The outbox of mails. A mail is stored with the change that it reports, and sent later. */
export interface MailOutbox {
  readonly schema: string
  /** Whether the deployment sends mails. Without, `add` stores nothing. */
  readonly enabled: boolean
  /** Stores a mail in a transaction. One with a token is sent only while the token is the user's. */
  add: (tx: Tx, to: MailRecipient, mail: NewMail, token?: MailToken) => Promise<void>
}

/** Returns an outbox that stores mails if the deployment sends some. */
export function mailOutbox({
  db: { schema },
  enabled,
  encryptionKeys,
  language,
}: {
  db: Pick<Database, 'schema'>
  enabled: boolean
  encryptionKeys: KeyRing
  /** That of users without a merchant. */
  language: MailLanguage
}): MailOutbox {
  const table = `${schema}.mails`
  const insert = `
    insert into ${table} (id, kind, recipient, user_id, merchant_id, language, data, token_sealed, gives_up_at)
    select ?, ?, ?, ?, ?, coalesce((
        select case when country in (${spanishSpeaking}) then 'es' else 'en' end from ${schema}.merchants where id = ?
      ), ?), ?::jsonb, ?, least(now() + ${triedFor}, ?::timestamptz)
    where ? or (
      select count(*) from ${table} where lower(recipient) = lower(?) and kind = ? and merchant_id is not distinct from ?
        and created_at > now() - interval '1 hour'
    ) < ${maxPerHour}
    returning id`
  return {
    schema,
    enabled,
    add: async (tx, { email, user_id, merchant_id }, { kind, data }, token) => {
      if (!enabled) return
      const stored = await tx.execute<object[]>(insert, [
        ...[randomUUID(), kind, email, user_id, merchant_id, merchant_id, language, JSON.stringify(data)],
        ...[token ? seal(encryptionKeys, token.token) : null, token?.expires_at ?? null],
        ...[!limited.has(kind), email, kind, merchant_id],
      ])
      if (stored.length === 0) countMail('dropped')
    },
  }
}

/** Returns a user as a recipient. */
export function recipientOf({
  id,
  email,
  merchant_id,
}: {
  id: string
  email: string
  merchant_id: string | null
}): MailRecipient {
  return { email, user_id: id, merchant_id }
}

/** Deletes mails that were written more than 30 days ago. */
export async function pruneMails(db: Database): Promise<void> {
  await db.execute(`delete from ${db.schema}.mails where created_at < now() - ${keptFor}`)
}
