import type { MailData, MailKind, MailLanguage } from './mail-kinds.ts'

/** The content of a mail as plain texts, which are escaped where HTML needs it. */
export interface MailText {
  subject: string
  paragraphs: string[]
  /** Labels and values, shown as a list. */
  facts?: [label: string, value: string][]
  link?: { label: string; url: string }
}

type Texts = { [K in MailKind]: (data: MailData[K], link: string) => MailText }

const time = (language: MailLanguage, at: string) =>
  new Intl.DateTimeFormat(language === 'es' ? 'es-MX' : 'en-US', {
    ...{ dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' },
  }).format(new Date(at))

const spanish: Texts = {
  setup: (_data, url) => ({
    subject: 'Elige tu contraseña de Cobro',
    paragraphs: [
      'Se creó una cuenta para ti en Cobro. Abre el enlace para elegir tu contraseña.',
      'El enlace funciona una sola vez, durante 72 horas. Si no esperabas este correo, ignóralo.',
    ],
    link: { label: 'Elegir contraseña', url },
  }),
  password_reset: (_data, url) => ({
    subject: 'Restablece tu contraseña de Cobro',
    paragraphs: [
      'Alguien pidió restablecer la contraseña de tu cuenta. Abre el enlace para elegir otra.',
      'El enlace funciona una sola vez, durante una hora. Si no fuiste tú, ignora este correo: tu contraseña no cambia.',
    ],
    link: { label: 'Elegir otra contraseña', url },
  }),
  new_device: ({ at, address }) => ({
    subject: 'Nuevo inicio de sesión en Cobro',
    paragraphs: [
      'Se inició sesión en tu cuenta desde un dispositivo y una dirección que no conocíamos.',
      'Si no fuiste tú, restablece tu contraseña de inmediato: así terminan todas tus sesiones.',
    ],
    facts: [
      ['Fecha (UTC)', time('es', at)],
      ['Dirección IP', address],
    ],
  }),
  factor_changed: ({ at, added }) => ({
    subject: added ? 'Se agregó un segundo factor a tu cuenta' : 'Se quitó el segundo factor de tu cuenta',
    paragraphs: [
      added
        ? 'Desde ahora, tu cuenta de Cobro pide un código al iniciar sesión.'
        : 'Desde ahora, tu cuenta de Cobro ya no pide un código al iniciar sesión.',
      'Si no fuiste tú ni quien administra tu cuenta, restablece tu contraseña de inmediato.',
    ],
    facts: [['Fecha (UTC)', time('es', at)]],
  }),
  key_created: ({ at, name, key_masked, merchant_name }) => ({
    subject: `Nueva llave de API de ${merchant_name}`,
    paragraphs: ['Se creó una llave de API. Si no la reconoces, revócala de inmediato.'],
    facts: [
      ['Nombre', name],
      ['Llave', key_masked],
      ['Comercio', merchant_name],
      ['Fecha (UTC)', time('es', at)],
    ],
  }),
}

const english: Texts = {
  setup: (_data, url) => ({
    subject: 'Choose your Cobro password',
    paragraphs: [
      'An account was created for you at Cobro. Open the link to choose your password.',
      'The link works once, for 72 hours. If you did not expect this mail, ignore it.',
    ],
    link: { label: 'Choose a password', url },
  }),
  password_reset: (_data, url) => ({
    subject: 'Reset your Cobro password',
    paragraphs: [
      'Someone asked to reset the password of your account. Open the link to choose another.',
      'The link works once, for one hour. If it was not you, ignore this mail: your password stays the same.',
    ],
    link: { label: 'Choose another password', url },
  }),
  new_device: ({ at, address }) => ({
    subject: 'New login to Cobro',
    paragraphs: [
      'Your account was logged in to from a device and an address that we did not know.',
      'If it was not you, reset your password at once: that ends all of your logins.',
    ],
    facts: [
      ['Time (UTC)', time('en', at)],
      ['IP address', address],
    ],
  }),
  factor_changed: ({ at, added }) => ({
    subject: added ? 'A second factor was added to your account' : 'The second factor of your account was removed',
    paragraphs: [
      added
        ? 'From now on your Cobro account asks for a code at each login.'
        : 'From now on your Cobro account asks for no code at logins.',
      'If this was neither you nor who manages your account, reset your password at once.',
    ],
    facts: [['Time (UTC)', time('en', at)]],
  }),
  key_created: ({ at, name, key_masked, merchant_name }) => ({
    subject: `New API key of ${merchant_name}`,
    paragraphs: ['An API key was created. If you do not recognize it, revoke it at once.'],
    facts: [
      ['Name', name],
      ['Key', key_masked],
      ['Merchant', merchant_name],
      ['Time (UTC)', time('en', at)],
    ],
  }),
}

const texts = { es: spanish, en: english }

/** Returns the content of a mail in a language. `link` is that of kinds with a single-use token. */
export function mailText<K extends MailKind>(
  { kind, data, language }: { kind: K; data: MailData[K]; language: MailLanguage },
  link: string,
): MailText {
  return texts[language][kind](data, link)
}
