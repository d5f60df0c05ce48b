import type { Database } from '@cobro/database'
import type { Environment, KeyRing, Logger, OnStop, Secret } from '@cobro/runtime'
import type { MailLanguage } from './mail-kinds.ts'
import { type MailOutbox, mailOutbox } from './mail-outbox.ts'
import type { MailSender } from './mail-settings.ts'
import { folderTransport, type MailTransport, smtpTransport } from './mail-transport.ts'
import { startMailSender } from './start-mail-sender.ts'

/** The settings of mails. */
interface MailSettings {
  COBRO_ENV: Environment
  PUBLIC_URL: string
  ENCRYPTION_KEYS: KeyRing
  SMTP_URL?: Secret | undefined
  MAIL_FROM?: MailSender | undefined
  MAIL_DIR?: string | undefined
  MAIL_LANGUAGE: MailLanguage
}

/** Opens the outbox of mails, and starts sending them if the deployment has a mail server or a folder for mails. */
export function openMail(config: MailSettings, db: Database, onStop: OnStop, logger: Logger): MailOutbox {
  const { ENCRYPTION_KEYS: encryptionKeys, PUBLIC_URL: publicUrl, MAIL_LANGUAGE: language } = config
  const transport = transportOf(config)
  if (transport) {
    onStop(transport.close)
    onStop(startMailSender({ db, transport, encryptionKeys, publicUrl, logger }).stop)
  }
  return mailOutbox({ db, enabled: transport !== undefined, encryptionKeys, language })
}

function transportOf({
  SMTP_URL,
  MAIL_DIR,
  MAIL_FROM,
  PUBLIC_URL,
  COBRO_ENV,
}: MailSettings): MailTransport | undefined {
  const from = MAIL_FROM ?? defaultSender(PUBLIC_URL)
  if (SMTP_URL) return smtpTransport({ url: SMTP_URL, from, environment: COBRO_ENV })
  return MAIL_DIR === undefined ? undefined : folderTransport({ folder: MAIL_DIR, from })
}

const defaultSender = (publicUrl: string): MailSender => ({
  name: 'Cobro',
  address: `no-reply@${new URL(publicUrl).hostname}`,
})
