import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { TestCertificate } from '@cobro/testing/test-certificates'
import { SMTPServer } from 'smtp-server'

/** A mail as the server received it. */
export interface ReceivedMail {
  to: string[]
  from: string
  raw: string
  subject: string
  text: string
  html: string
  messageId: string
}

/** The certificate of a server, and whether its connections start with TLS instead of changing to it by STARTTLS. */
interface ServerTls extends TestCertificate {
  secure: boolean
}

/** How the server answers each recipient, and what it does before it accepts a mail. */
interface Behavior {
  onRecipient?: (address: string) => Promise<void> | void
  onMail?: (mail: ReceivedMail) => Promise<void> | void
}

/** An error that the server answers with an SMTP code. */
export const smtpError = (responseCode: number) => Object.assign(new Error('rejected by the test'), { responseCode })

/** Starts an SMTP server on this machine, by default without TLS. `behavior` may be changed while it runs. */
export async function mailServer({
  port = 0,
  behavior = {} as Behavior,
  tls = undefined as ServerTls | undefined,
} = {}) {
  const mails: ReceivedMail[] = []
  const logins: { username: unknown; password: unknown; secure: boolean }[] = []
  const answer = async (work: () => Promise<void> | void | undefined, done: (error?: Error | null) => void) => {
    try {
      await work()
      done()
    } catch (error) {
      done(error as Error)
    }
  }
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: tls ? [] : ['STARTTLS', 'AUTH'],
    onAuth: ({ username, password }, session, done) => {
      logins.push({ username, password, secure: session.secure })
      done(null, { user: username })
    },
    ...tls,
    closeTimeout: 100,
    onRcptTo: (address, _session, done) => void answer(() => behavior.onRecipient?.(address.address), done),
    onData: (stream, session, done) => {
      void answer(async () => {
        const { mailFrom, rcptTo } = session.envelope
        const to = rcptTo.map(({ address }) => address)
        const mail = readMail((await buffer(stream)).toString(), { from: mailFrom ? mailFrom.address : '', to })
        await behavior.onMail?.(mail)
        mails.push(mail)
      }, done)
    },
  })
  server.on('error', () => undefined)
  const listening = server.listen(port, '127.0.0.1')
  await once(listening, 'listening')
  const bound = (listening.address() as AddressInfo).port
  return {
    port: bound,
    url: `smtp://127.0.0.1:${bound}`,
    mails,
    logins,
    behavior,
    to: (address: string) => mails.filter(mail => mail.to.some(to => to.toLowerCase() === address.toLowerCase())),
    close: () => new Promise<void>(resolve => server.close(() => resolve())),
  }
}

export type MailServer = Awaited<ReturnType<typeof mailServer>>

function readMail(raw: string, { from, to }: { from: string; to: string[] }): ReceivedMail {
  const headers = raw.slice(0, raw.indexOf('\r\n\r\n')).replaceAll(/\r\n\s+/g, ' ')
  const header = (name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(headers)?.[1] ?? ''
  const part = (type: string) => decodePart(raw.split(/\r\n--[^\r\n]+\r\n/).find(text => text.includes(type)) ?? '')
  return {
    ...{ from, to, raw, subject: decodeWords(header('Subject')), messageId: header('Message-ID') },
    ...{ text: part('Content-Type: text/plain'), html: part('Content-Type: text/html') },
  }
}

function decodePart(part: string): string {
  const body = part.slice(part.indexOf('\r\n\r\n') + 4).replace(/\r\n--[^\r\n]+--\s*$/, '')
  const isQuoted = /Content-Transfer-Encoding: quoted-printable/i.test(part)
  return (isQuoted ? decodeQuoted(body.replaceAll('=\r\n', '')) : body).replaceAll('\r\n', '\n')
}

/** Decodes the words of a header that are not ASCII (RFC 2047). */
function decodeWords(text: string): string {
  return text
    .replaceAll(/\?=\s+=\?/g, '?==?')
    .replaceAll(/=\?UTF-8\?Q\?(.*?)\?=/gi, (_word, coded: string) => decodeQuoted(coded.replaceAll('_', ' ')))
    .replaceAll(/=\?UTF-8\?B\?(.*?)\?=/gi, (_word, coded: string) => Buffer.from(coded, 'base64').toString())
}

function decodeQuoted(text: string): string {
  return Buffer.from(
    text.replaceAll(/=([0-9A-F]{2})/g, (_byte, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString()
}
