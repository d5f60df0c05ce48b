import type { PaymentLink } from '@cobro/sdk/admin'
import type { Texts } from './locale.tsx'

interface LinksTexts {
  title: string
  searchHint: string
  empty: string
  emptyHint: string
  status: string
  statuses: Record<PaymentLink['status'], string>
  /** What becomes of a link, in a sentence. */
  sentences: Record<PaymentLink['status'], string>
  amount: string
  concept: string
  reference: string
  expires: string
  paid: string
  payer: string
  newLink: string
  amountHint: string
  create: string
  invalidAmount: string
  failed: string
  address: string
  scan: string
  openPayment: string
}

const es: LinksTexts = {
  title: 'Links de pago',
  searchHint: 'Concepto, referencia o correo',
  empty: 'Todavía no hay links de pago.',
  emptyHint: 'Crea uno y envíalo a quien va a pagar.',
  status: 'Estado',
  statuses: { active: 'Activo', paid: 'Pagado', expired: 'Vencido', cancelled: 'Cancelado' },
  sentences: {
    active: 'Se puede pagar. Envía la dirección a quien va a pagar.',
    paid: 'Ya se pagó.',
    expired: 'Venció sin pagarse.',
    cancelled: 'Se canceló y ya no se puede pagar.',
  },
  amount: 'Monto',
  concept: 'Concepto',
  reference: 'Referencia',
  expires: 'Vence',
  paid: 'Pagado',
  payer: 'Correo',
  newLink: 'Nuevo link',
  amountHint: '250.00',
  create: 'Crear link',
  invalidAmount: 'Escribe un monto como 250 o 250.50.',
  failed: 'No se pudo crear el link.',
  address: 'Dirección',
  scan: 'Código QR de la dirección',
  openPayment: 'Ver el pago',
}

const en: LinksTexts = {
  title: 'Payment links',
  searchHint: 'Concept, reference or e-mail',
  empty: 'There are no payment links yet.',
  emptyHint: 'Create one and send it to who is going to pay.',
  status: 'Status',
  statuses: { active: 'Active', paid: 'Paid', expired: 'Expired', cancelled: 'Cancelled' },
  sentences: {
    active: 'It can be paid. Send the address to who is going to pay.',
    paid: 'It was paid.',
    expired: 'It expired without a payment.',
    cancelled: 'It was cancelled and can no longer be paid.',
  },
  amount: 'Amount',
  concept: 'Concept',
  reference: 'Reference',
  expires: 'Expires',
  paid: 'Paid',
  payer: 'E-mail',
  newLink: 'New link',
  amountHint: '250.00',
  create: 'Create link',
  invalidAmount: 'Enter an amount such as 250 or 250.50.',
  failed: 'The link could not be created.',
  address: 'Address',
  scan: 'QR code of the address',
  openPayment: 'See the payment',
}

export const linksTexts: Texts<LinksTexts> = { es, en }
