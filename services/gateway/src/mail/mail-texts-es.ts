import { fact, type MailTexts } from './mail-content.ts'
import { formatMoney, formatTime } from './mail-formats.ts'
import type { MailData } from './mail-kinds.ts'

const reasons: Record<string, string> = { gone: 'respondió 410', deliveries_exhausted: '20 entregas seguidas fallaron' }

const paymentFacts = (payment: MailData['payer_receipt']): [string, string][] => [
  ['Importe', formatMoney('es', payment.amount_cents, payment.currency)],
  ['Fecha', formatTime('es', payment.at, payment.timezone)],
  ...fact('Tarjeta', payment.card && `${payment.card.brand} •••• ${payment.card.last4}`),
  ...fact('Referencia', payment.reference),
  ['Transacción', payment.transaction_id],
]

/** The texts of mails in Spanish. */
export const spanishMails: MailTexts = {
  payer_receipt: payment => ({
    subject: `Tu pago a ${payment.merchant_name}`,
    paragraphs: [`Tu pago a ${payment.merchant_name} fue aprobado. Este comprobante no es una factura.`],
    facts: paymentFacts(payment),
  }),
  payer_refund: payment => ({
    subject: `Reembolso de ${payment.merchant_name}`,
    paragraphs: [`${payment.merchant_name} reembolsó tu pago. Tu banco puede tardar unos días en mostrarlo.`],
    facts: paymentFacts(payment),
  }),
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
  password_changed: ({ at, address }) => ({
    subject: 'Cambió tu contraseña de Cobro',
    paragraphs: [
      'La contraseña de tu cuenta se cambió con un enlace o un código. Todas tus sesiones terminaron.',
      'Si no fuiste tú, restablece tu contraseña de inmediato y avisa a quien administra tu cuenta.',
    ],
    facts: [['Fecha (UTC)', formatTime('es', at)], ...fact('Dirección IP', address)],
  }),
  new_device: ({ at, address }) => ({
    subject: 'Nuevo inicio de sesión en Cobro',
    paragraphs: [
      'Se inició sesión en tu cuenta desde un dispositivo y una dirección que no conocíamos.',
      'Si no fuiste tú, restablece tu contraseña de inmediato: así terminan todas tus sesiones.',
    ],
    facts: [
      ['Fecha (UTC)', formatTime('es', at)],
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
    facts: [['Fecha (UTC)', formatTime('es', at)]],
  }),
  bank_changed: ({ at, merchant_name, clabe, effective_at }) => ({
    subject: `Cambio de cuenta bancaria de ${merchant_name}`,
    paragraphs: [
      effective_at
        ? 'Se pidió cambiar la cuenta en la que se deposita. Si no reconoces el cambio, cancélalo antes de que entre en vigor.'
        : 'La cuenta en la que se deposita cambió. Si no reconoces el cambio, avisa de inmediato a quien opera Cobro.',
    ],
    facts: [
      ['Comercio', merchant_name],
      ...fact('Cuenta nueva', clabe),
      ['Fecha (UTC)', formatTime('es', at)],
      ...fact('En vigor (UTC)', effective_at && formatTime('es', effective_at)),
    ],
  }),
  endpoint_disabled: ({ at, merchant_name, webhook_id, reason, cancelled }) => ({
    subject: `Se desactivó un webhook de ${merchant_name}`,
    paragraphs: [
      'Cobro ya no envía eventos a esta dirección. Corrígela y actívala de nuevo; los eventos siguen en la lista de eventos.',
    ],
    facts: [
      ['Webhook', webhook_id],
      ['Motivo', reasons[reason] ?? reason],
      ['Entregas canceladas', String(cancelled)],
      ['Fecha (UTC)', formatTime('es', at)],
    ],
  }),
  dispute_opened: ({ merchant_name, timezone, dispute_id, transaction_id, amount_cents, currency, due_by }) => ({
    subject: due_by
      ? `Nueva disputa de ${merchant_name}: responde antes del ${formatTime('es', due_by, timezone)}`
      : `Nueva disputa de ${merchant_name}`,
    paragraphs: ['Un tarjetahabiente disputa un pago. Envía tu evidencia, o acepta la disputa.'],
    facts: [
      ...fact('Importe', amount_cents !== null && currency !== null && formatMoney('es', amount_cents, currency)),
      ...fact('Fecha límite', due_by && formatTime('es', due_by, timezone)),
      ['Disputa', dispute_id],
      ...fact('Transacción', transaction_id),
    ],
  }),
  approval_requested: ({ approval_id, operation, merchant_name, timezone, amount_cents, currency, lapses_at }) => ({
    subject: `Una operación de ${merchant_name} espera tu aprobación`,
    paragraphs: ['Otro operador pidió algo que una segunda persona debe aprobar o rechazar. Aún no tiene efecto.'],
    facts: [
      ['Operación', operation],
      ['Comercio', merchant_name],
      ...fact('Importe', amount_cents !== null && currency !== null && formatMoney('es', amount_cents, currency)),
      ['Vence', formatTime('es', lapses_at, timezone)],
      ['Aprobación', approval_id],
    ],
  }),
  key_created: ({ at, name, key_masked, merchant_name }) => ({
    subject: `Nueva llave de API de ${merchant_name}`,
    paragraphs: ['Se creó una llave de API. Si no la reconoces, revócala de inmediato.'],
    facts: [
      ['Nombre', name],
      ['Llave', key_masked],
      ['Comercio', merchant_name],
      ['Fecha (UTC)', formatTime('es', at)],
    ],
  }),
}
