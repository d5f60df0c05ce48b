import type { Texts } from './locale.tsx'

interface PaymentsTexts {
  title: string
  searchHint: string
  status: string
  refund: string
  method: string
  amount: string
  reference: string
  payer: string
  merchant: string
  empty: string
  emptyHint: string
}

const es: PaymentsTexts = {
  title: 'Pagos',
  searchHint: 'Referencia, pedido, correo o id',
  status: 'Estado',
  refund: 'Reembolso',
  method: 'Método',
  amount: 'Monto',
  reference: 'Referencia',
  payer: 'Correo',
  merchant: 'Comercio',
  empty: 'Todavía no hay pagos.',
  emptyHint: 'Aparecen aquí en cuanto alguien paga una sesión o un link de pago.',
}

const en: PaymentsTexts = {
  title: 'Payments',
  searchHint: 'Reference, order, e-mail or id',
  status: 'Status',
  refund: 'Refund',
  method: 'Method',
  amount: 'Amount',
  reference: 'Reference',
  payer: 'E-mail',
  merchant: 'Merchant',
  empty: 'There are no payments yet.',
  emptyHint: 'They appear here as soon as a payer pays a session or a payment link.',
}

export const paymentsTexts: Texts<PaymentsTexts> = { es, en }
