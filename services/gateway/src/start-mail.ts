import type { Database, Inbox } from '@cobro/database'
import { startConsumer } from '@cobro/messaging'
import type { Logger, OnStop } from '@cobro/runtime'
import type { openConnections } from '@cobro/service'
import type { Config } from './config.ts'
import { eventHandler } from './consumers.ts'
import { type MailOutbox, mailOutbox } from './mail/mail-outbox.ts'
import type { MailSender } from './mail/mail-settings.ts'
import { folderTransport, type MailTransport, smtpTransport } from './mail/mail-transport.ts'
import { startMailSender } from './mail/start-mail-sender.ts'

interface MailDeps {
  db: Database
  inbox: Inbox
  consumer: Awaited<ReturnType<typeof openConnections>>['consumer']
  logger: Logger
}

/** Handling an event takes one transaction. */
const prefetch = 10

/**
 * Returns the outbox of mails, and starts what fills and empties it: the consumer of events, and the sender if the deployment
 * has a mail server or a folder for mails. Without one, events are consumed and ignored, so that they do not wait.
 */
export function startMail(config: Config, deps: MailDeps, onStop: OnStop): MailOutbox {
  const { db, inbox, consumer, logger } = deps
  const { ENCRYPTION_KEYS: encryptionKeys, PUBLIC_URL: publicUrl, MAIL_LANGUAGE: language } = config
  const transport = transportOf(config)
  if (transport) {
    onStop(transport.close)
    onStop(startMailSender({ db, transport, encryptionKeys, publicUrl, logger }).stop)
  }
  const mails = mailOutbox({ db, enabled: transport !== undefined, encryptionKeys, language })
  const handle = eventHandler({ db, inbox, mails })
  onStop(startConsumer({ ...consumer, queue: 'gateway.events', prefetch, handle }).stop)
  return mails
}

function transportOf({ SMTP_URL, MAIL_DIR, MAIL_FROM, PUBLIC_URL, COBRO_ENV }: Config): MailTransport | undefined {
  const from = MAIL_FROM ?? defaultSender(PUBLIC_URL)
  if (SMTP_URL) return smtpTransport({ url: SMTP_URL, environment: COBRO_ENV }, from)
  return MAIL_DIR === undefined ? undefined : folderTransport({ folder: MAIL_DIR, from })
}

const defaultSender = (publicUrl: string): MailSender => ({
  name: 'Cobro',
  address: `no-reply@${new URL(publicUrl).hostname}`,
})
