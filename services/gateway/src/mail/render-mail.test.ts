import type { MailLanguage, NewMail } from './mail-kinds.ts'
import { mailText } from './mail-texts.ts'
import { renderMail } from './render-mail.ts'

const at = '2026-06-18T18:30:00.000Z'
const link = 'https://api.example.com/account/password#token=vst_x'
const rendered = (mail: NewMail, language: MailLanguage) => renderMail(language, mailText({ ...mail, language }, link))
/** The lines of the text between the greeting of mail programs: without the footer. */
const linesOf = (text: string) => text.slice(0, text.indexOf('-- \n')).split('\n').filter(Boolean)

test('a link to choose a password says how long it works, in both languages', () => {
  const spanish = rendered({ kind: 'setup', data: {} }, 'es')
  expect([spanish.subject, linesOf(spanish.text)]).toEqual([
    'Elige tu contraseña de Cobro',
    [
      'Se creó una cuenta para ti en Cobro. Abre el enlace para elegir tu contraseña.',
      'El enlace funciona una sola vez, durante 72 horas. Si no esperabas este correo, ignóralo.',
      link,
    ],
  ])
  const english = rendered({ kind: 'password_reset', data: {} }, 'en')
  expect([english.subject, linesOf(english.text)]).toEqual([
    'Reset your Cobro password',
    [
      'Someone asked to reset the password of your account. Open the link to choose another.',
      'The link works once, for one hour. If it was not you, ignore this mail: your password stays the same.',
      link,
    ],
  ])
})

test('a notice lists what happened, and when', () => {
  const data = { at, name: 'caja 1', key_masked: 'vk_test_****abcd', merchant_name: 'Café & Té' }
  const mail = rendered({ kind: 'key_created', data }, 'es')
  expect(linesOf(mail.text)).toEqual([
    'Se creó una llave de API. Si no la reconoces, revócala de inmediato.',
    ...['Nombre: caja 1', 'Llave: vk_test_****abcd', 'Comercio: Café & Té'],
    expect.stringMatching(/^Fecha \(UTC\): 18 de junio de 2026/),
  ])
  expect(mail.html).toContain('<td>Café &amp; Té</td>')
  const device = rendered({ kind: 'new_device', data: { at, address: '203.0.113.1' } }, 'en')
  expect(linesOf(device.text).slice(2)).toEqual([
    expect.stringMatching(/^Time \(UTC\): June 18, 2026/),
    'IP address: 203.0.113.1',
  ])
})

const payment = {
  ...{ merchant_name: 'Café Azul', timezone: 'America/Mexico_City', transaction_id: 'txn_1', reference: 'A-1042' },
  ...{ amount_cents: 1_250_050, currency: 'MXN', card: { brand: 'visa', last4: '4242' }, at },
}
/** Spaces of numbers and times that do not break. */
const plain = (text: string) => text.replaceAll(/[\u00a0\u202f]/g, ' ')

test.each([
  [
    'es',
    'payer_receipt',
    'Tu pago a Café Azul',
    'Importe: MXN 12,500.50',
    'Fecha: 18 de junio de 2026 a las 12:30 p.m.',
  ],
  ['en', 'payer_receipt', 'Your payment to Café Azul', 'Amount: MXN 12,500.50', 'Time: June 18, 2026 at 12:30 PM'],
  [
    'es',
    'payer_refund',
    'Reembolso de Café Azul',
    'Importe: MXN 12,500.50',
    'Fecha: 18 de junio de 2026 a las 12:30 p.m.',
  ],
  ['en', 'payer_refund', 'Refund from Café Azul', 'Amount: MXN 12,500.50', 'Time: June 18, 2026 at 12:30 PM'],
] as const)(
  'in %s the mail %s has the amount, and the time where the merchant is',
  (language, kind, subject, ...lines) => {
    const mail = rendered({ kind, data: payment }, language)
    expect(mail.subject).toBe(subject)
    expect(linesOf(plain(mail.text))).toEqual(expect.arrayContaining([...lines]))
    const inCash = rendered({ kind, data: { ...payment, card: null, reference: null } }, language)
    expect(linesOf(inCash.text)).toHaveLength(4)
  },
)

test('English notices of merchants name the account, the endpoint and the due date', () => {
  const merchant_name = 'Café Azul'
  const change = { at, merchant_name, clabe: '**************9719', effective_at: '2026-06-21T18:30:00.000Z' }
  const asked = rendered({ kind: 'bank_changed', data: change }, 'en')
  expect(linesOf(plain(asked.text)).slice(1)).toEqual([
    ...['Merchant: Café Azul', 'New account: **************9719', 'Time (UTC): June 18, 2026 at 6:30 PM'],
    'Takes effect (UTC): June 21, 2026 at 6:30 PM',
  ])
  const disabled = { at, merchant_name, webhook_id: 'whk_1', reason: 'gone', cancelled: 3 }
  expect(linesOf(rendered({ kind: 'endpoint_disabled', data: disabled }, 'en').text)).toEqual(
    expect.arrayContaining(['Webhook: whk_1', 'Reason: it answered 410', 'Cancelled deliveries: 3']),
  )
  const unknown = { dispute_id: 'dsp_1', transaction_id: null, amount_cents: null, currency: null, due_by: null }
  const dispute = rendered({ kind: 'dispute_opened', data: { merchant_name, timezone: 'UTC', ...unknown } }, 'en')
  expect([dispute.subject, linesOf(dispute.text).slice(1)]).toEqual(['New dispute of Café Azul', ['Dispute: dsp_1']])
})

test('a mail has one line as its subject, and no HTML of its texts', () => {
  const hostile = { subject: 'a\r\nBcc: b\u2028c', paragraphs: ['<b>"x" & \'y\'</b>\nz'] }
  const { subject, text, html } = renderMail('en', hostile)
  expect(subject).toBe('a Bcc: b c')
  expect(linesOf(text)).toEqual(['<b>"x" & \'y\'</b> z'])
  expect(html).toContain('<p>&lt;b&gt;&quot;x&quot; &amp; &#39;y&#39;&lt;/b&gt; z</p>')
})
