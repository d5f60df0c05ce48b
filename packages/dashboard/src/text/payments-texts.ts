import type { Texts } from './locale.tsx'

interface PaymentsTexts {
  title: string
  searchHint: string
  status: string
  refund: string
  method: string
  reason: string
  brand: string
  last4: string
  /** What the days of the filters are those of. */
  time: string
  times: Readonly<Record<'captured_at' | 'refund_requested_at' | 'refunded_at' | 'disputed_at', string>>
  amount: string
  reference: string
  payer: string
  terminal: string
  lifecycle: string
  currency: string
  risk: string
  link: string
  empty: string
  emptyHint: string
}

const es: PaymentsTexts = {
  title: 'Pagos',
  searchHint: 'Referencia, pedido, correo o id',
  status: 'Estado',
  refund: 'Reembolso',
  method: 'Método',
  reason: 'Motivo de rechazo',
  brand: 'Marca',
  last4: 'Últimos 4 dígitos',
  time: 'Días de',
  times: {
    captured_at: 'Cobro',
    refund_requested_at: 'Reembolso pedido',
    refunded_at: 'Reembolso confirmado',
    disputed_at: 'Contracargo',
  },
  amount: 'Monto',
  reference: 'Referencia',
  payer: 'Correo',
  terminal: 'Terminal',
  lifecycle: 'Ciclo de vida',
  currency: 'Moneda',
  risk: 'Riesgo',
  link: 'Link de pago',
  empty: 'Todavía no hay pagos.',
  emptyHint: 'Aparecen aquí en cuanto alguien paga una sesión o un link de pago.',
}

const en: PaymentsTexts = {
  title: 'Payments',
  searchHint: 'Reference, order, e-mail or id',
  status: 'Status',
  refund: 'Refund',
  method: 'Method',
  reason: 'Decline reason',
  brand: 'Brand',
  last4: 'Last 4 digits',
  time: 'Days of',
  times: {
    captured_at: 'Capture',
    refund_requested_at: 'Refund request',
    refunded_at: 'Refund',
    disputed_at: 'Chargeback',
  },
  amount: 'Amount',
  reference: 'Reference',
  payer: 'E-mail',
  terminal: 'Terminal',
  lifecycle: 'Lifecycle',
  currency: 'Currency',
  risk: 'Risk',
  link: 'Payment link',
  empty: 'There are no payments yet.',
  emptyHint: 'They appear here as soon as a payer pays a session or a payment link.',
}

export const paymentsTexts: Texts<PaymentsTexts> = { es, en }
