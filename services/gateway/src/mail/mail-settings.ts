import { secret } from '@cobro/runtime'
import { z } from 'zod'

const expectedUrl = 'expected smtp://user:password@host:port, or smtps:// for TLS from the start'

/** The URL of a mail server. It takes no options: nodemailer would read from them to trust any certificate. */
export const smtpUrl = z.string().transform((text, context) => {
  const url = URL.parse(text)
  const isPlain = url && /^smtps?:$/.test(url.protocol) && url.hostname !== '' && /^\/?$/.test(url.pathname)
  if (isPlain && !url.search && !url.hash) return secret(url.href)
  context.addIssue({ code: 'custom', message: expectedUrl })
  return z.NEVER
})

/** The sender of mails: an address, or `Name <address>`. */
export const mailSender = z.string().transform((text, context) => {
  const {
    name = '',
    named,
    plain,
  } = /^(?:(?<name>[^<>"\p{Cc}]{1,100}) <(?<named>[^<>]+)>|(?<plain>[^<>]+))$/u.exec(text)?.groups ?? {}
  const address = z.email().safeParse(named ?? plain).data
  if (address) return { name: name.trim(), address }
  context.addIssue({ code: 'custom', message: 'expected an address, or Name <address>' })
  return z.NEVER
})

export type MailSender = z.output<typeof mailSender>
