import { type Database, unseal } from '@cobro/database'
import { claimAndProcess, type KeyRing, type Logger, startInterval, withTimeout } from '@cobro/runtime'
import { tokenHash } from '../secrets/secret-tokens.ts'
import { failureText, isBounce, mailBackoffMs } from './mail-failures.ts'
import type { MailData, MailKind, MailLanguage } from './mail-kinds.ts'
import { countMail, registerMailMetrics } from './mail-metrics.ts'
import { mailText } from './mail-texts.ts'
import type { MailTransport } from './mail-transport.ts'
import { renderMail } from './render-mail.ts'

export interface MailSenderDeps {
  db: Database
  transport: MailTransport
  encryptionKeys: KeyRing
  /** The public URL of the deployment, to which links lead. */
  publicUrl: string
  logger: Logger
  /** How long a replica may take to send what it has claimed; longer than the timeouts of the transport. */
  leaseMs?: number
  /** How long a mail may take: a server that answers slowly, line by line, must not outlast the lease. */
  sendTimeoutMs?: number
  pollMs?: number
  backoffMs?: (attempt: number) => number
}

interface ClaimedMail {
  id: string
  kind: MailKind
  recipient: string
  language: MailLanguage
  data: MailData[MailKind]
  token_sealed: string | null
  /** That of the user's valid link. */
  setup_token_hash: string | null
  attempts: number
  created_at: Date
}

/** As many as the transport has connections: a mail should not wait for another one within its lease. */
const batch = 2
const stopTimeoutMs = 5_000
const aboutOwnAccount = `('new_device', 'factor_changed', 'password_changed')`

/**
 * Starts sending the mails of the outbox, each by one replica at a time. A mail is sent at least once: a replica that dies
 * after the server has accepted a mail leaves it to another, which sends it again with the same Message-ID.
 */
export function startMailSender(deps: MailSenderDeps): { stop: () => Promise<void> } {
  const { db, logger, leaseMs = 300_000, pollMs = 1_000 } = deps
  registerMailMetrics(db)
  const claim = (limit: number) => claimMails(db, { limit, leaseMs })
  const send = (stopping: AbortSignal) =>
    claimAndProcess({ name: 'mail', claim, batch, concurrency: batch, stopping, logger }, mail => sendMail(deps, mail))
  const sending = startInterval(pollMs, 'send mails', send, logger)
  // A server that hangs must not delay the stop: the lease ends, and another replica sends the mail.
  return { stop: async () => void (await withTimeout(stopTimeoutMs, sending.stop())) }
}

/**
 * Leases due mails, and gives up those whose time is over or whose user is disabled by now. A disabled user still learns what
 * happens to its own account: who takes it over could otherwise disable it until the mail about that is gone.
 */
async function claimMails(db: Database, { limit, leaseMs }: { limit: number; leaseMs: number }) {
  const table = `${db.schema}.mails`
  const ended = await db.execute<object>(
    `update ${table} set status = 'given_up', token_sealed = null
     where status = 'pending' and next_attempt_at <= now() and (gives_up_at <= now()
       or kind not in ${aboutOwnAccount} and user_id in (select id from ${db.schema}.users where status <> 'active')) returning id`,
  )
  for (const _mail of ended) countMail('given_up')
  return db.execute<ClaimedMail>(
    `update ${table} set attempts = attempts + 1, next_attempt_at = now() + ? * interval '1 millisecond'
     where id = any(array(
       select id from ${table} where status = 'pending' and next_attempt_at <= now()
       order by next_attempt_at limit ? for update skip locked
     ))
     returning id, kind, recipient, language, data, token_sealed, attempts, created_at,
       (select setup_token_hash from ${db.schema}.users where id = user_id)`,
    [leaseMs, limit],
  )
}

async function sendMail(deps: MailSenderDeps, mail: ClaimedMail): Promise<void> {
  const { db, encryptionKeys, transport, logger, sendTimeoutMs = 240_000 } = deps
  try {
    const token = mail.token_sealed === null ? undefined : unseal(encryptionKeys, mail.token_sealed)
    if (token !== undefined && tokenHash(token) !== mail.setup_token_hash) return await giveUp(db, mail)
    const content = renderMail(mail.language, mailText(mail, linkOf(deps, token)))
    const outgoing = { ...mail, created_at: new Date(mail.created_at), ...content }
    await transport.send(outgoing, AbortSignal.timeout(sendTimeoutMs))
  } catch (error) {
    const outcome = isBounce(error) ? 'bounced' : 'retried'
    const failure = failureText(error)
    logger.warn({ mail_id: mail.id, kind: mail.kind, attempt: mail.attempts, failure, outcome }, 'a mail was not sent')
    await recordFailure(deps, mail, { outcome, failure })
    countMail(outcome)
    return
  }
  await db.execute(
    `update ${db.schema}.mails set status = 'sent', sent_at = now(), token_sealed = null, last_error = null
     where id = ? and status = 'pending'`,
    [mail.id],
  )
  countMail('sent')
}

/** Ends a mail whose token was used, replaced or voided while it waited. */
async function giveUp(db: Database, { id }: ClaimedMail): Promise<void> {
  await db.execute(`update ${db.schema}.mails set status = 'given_up', token_sealed = null where id = ?`, [id])
  countMail('given_up')
}

/** A browser sends no fragment, so the token is in no log of a proxy. */
function linkOf({ publicUrl }: MailSenderDeps, token = ''): string {
  return `${publicUrl.replace(/\/+$/, '')}/account/password#token=${token}`
}

async function recordFailure(
  { db, backoffMs = mailBackoffMs }: MailSenderDeps,
  { id, attempts }: ClaimedMail,
  { outcome, failure }: { outcome: 'bounced' | 'retried'; failure: string },
): Promise<void> {
  const table = `${db.schema}.mails`
  if (outcome === 'bounced') {
    const bounce = `update ${table} set status = 'bounced', token_sealed = null, last_error = ? where id = ?`
    await db.execute(bounce, [failure, id])
    return
  }
  const retry = `update ${table} set next_attempt_at = now() + ? * interval '1 millisecond', last_error = ?
    where id = ? and status = 'pending'`
  await db.execute(retry, [backoffMs(attempts), failure, id])
}
