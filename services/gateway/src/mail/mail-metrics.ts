import { type Database, observeQuery } from '@cobro/database'
import { meter } from '@cobro/runtime'

const outcomes = ['sent', 'retried', 'bounced', 'given_up', 'dropped'] as const
export type MailOutcome = (typeof outcomes)[number]

const mails = meter.createCounter('cobro_mails_total', {
  description: 'Mails by outcome of an attempt to send one, and those that were dropped because of their number',
})
// A series that starts with its first count shows no increase.
for (const outcome of outcomes) mails.add(0, { outcome })

export function countMail(outcome: MailOutcome): void {
  mails.add(1, { outcome })
}

/** Registers how many mails wait to be sent, and for how long. */
export function registerMailMetrics(db: Database): void {
  const waiting = `from ${db.schema}.mails where status = 'pending'`
  observeQuery(
    db,
    'cobro_mails_waiting',
    { description: 'Mails that are not sent yet' },
    `select count(*)::float8 as value ${waiting}`,
  )
  observeQuery(
    db,
    'cobro_mail_oldest_age_seconds',
    { description: 'Age of the oldest mail that is not sent yet', unit: 's' },
    `select extract(epoch from now() - min(created_at))::float8 as value ${waiting}`,
  )
}
