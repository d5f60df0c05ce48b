import { appendFile, mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Environment, reveal, type Secret } from '@cobro/runtime'
import { createTransport, type SendMailOptions } from 'nodemailer'
import type { MailSender } from './mail-settings.ts'
import type { RenderedMail } from './render-mail.ts'

/** A mail with its address and the time when it was written. */
interface OutgoingMail extends RenderedMail {
  id: string
  kind: string
  recipient: string
  created_at: Date
}

/** Sends mails. Rejects with an error of nodemailer unless the server has accepted the mail before `signal`. */
export interface MailTransport {
  send: (mail: OutgoingMail, signal: AbortSignal) => Promise<void>
  close: () => void
}

/** Beyond the content of a mail, no file or address is read that a text might name. */
const closed = { disableFileAccess: true, disableUrlAccess: true } as const
const pool = { pool: true, maxConnections: 2, maxMessages: 100 } as const
const loopback = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

/** How long a silent server may take at each step. */
export interface MailTimeouts {
  connectMs: number
  silenceMs: number
}

const mailTimeouts: MailTimeouts = { connectMs: 10_000, silenceMs: 20_000 }

interface SmtpSettings {
  url: Secret
  environment: Environment
}

/** Returns the options of a mail server. Production requires TLS, unless the server is on the same machine. */
export function smtpOptions({ url, environment }: SmtpSettings, { connectMs, silenceMs }: MailTimeouts = mailTimeouts) {
  const { protocol, hostname, port, username, password } = new URL(reveal(url))
  const secure = protocol === 'smtps:'
  return {
    ...{ ...pool, ...closed, host: hostname.replace(/^\[(.*)\]$/, '$1'), secure },
    ...(port ? { port: Number(port) } : {}),
    ...(username ? { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } } : {}),
    requireTLS: environment === 'production' && !secure && !loopback.test(hostname),
    tls: { minVersion: 'TLSv1.2' },
    ...{ connectionTimeout: connectMs, greetingTimeout: connectMs, dnsTimeout: connectMs, socketTimeout: silenceMs },
  } as const
}

/** Opens a small pool of connections to a mail server. */
export function smtpTransport(settings: SmtpSettings, from: MailSender, timeouts?: MailTimeouts): MailTransport {
  const transport = createTransport(smtpOptions(settings, timeouts))
  return {
    send: async (mail, signal) => void (await transport.sendMail({ ...messageOf(mail, from), signal })),
    close: () => transport.close(),
  }
}

/** The list of the mails in a folder: one line of JSON for each. */
const listName = 'mails.ndjson'

/** Writes mails to a folder instead of sending them, for a sandbox. A mail that is written again replaces its file. */
export function folderTransport({ folder, from }: { folder: string; from: MailSender }): MailTransport {
  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'unix', ...closed })
  return {
    send: async mail => {
      const { message } = await transport.sendMail(messageOf(mail, from))
      const time = mail.created_at.toISOString()
      const file = `${time.replaceAll(/[:.]/g, '-')}-${mail.kind}-${mail.id.slice(0, 8)}.eml`
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const draft = join(folder, `.${file}`)
      await writeFile(draft, message as Buffer, { mode: 0o600 })
      await rename(draft, join(folder, file))
      const { kind, recipient, subject } = mail
      const line = JSON.stringify({ time, kind, recipient, subject, file })
      await appendFile(join(folder, listName), `${line}\n`, { mode: 0o600 })
    },
    close: () => transport.close(),
  }
}

/** A mail has the same Message-ID at each attempt, so that its receiver can recognize a repetition. */
function messageOf(
  { id, recipient, subject, text, html, created_at }: OutgoingMail,
  from: MailSender,
): SendMailOptions {
  return {
    from,
    // As an object: nodemailer reads several addresses from a text with commas, also in an envelope.
    to: { name: '', address: recipient },
    ...{ subject, text, html, date: created_at },
    messageId: `<${id}@${from.address.split('@').at(-1)}>`,
    headers: { 'Auto-Submitted': 'auto-generated' },
  }
}
