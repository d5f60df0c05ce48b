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
  reached: string
  /** How far payers have come. */
  steps: Record<'viewed' | 'attempted' | 'completed', string>
  amount: string
  concept: string
  reference: string
  expires: string
  paid: string
  payer: string
  newLink: string
  preview: string
  amountHint: string
  create: string
  invalidAmount: string
  failed: string
  address: string
  copied: string
  scan: string
  openPayment: string
  duplicate: string
  cancelling: { title: string; text: string; submit: string; failed: string }
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
  reached: 'Avance',
  steps: { viewed: 'Abiertos', attempted: 'Intentados', completed: 'Pagados' },
  amount: 'Monto',
  concept: 'Concepto',
  reference: 'Referencia',
  expires: 'Vence',
  paid: 'Pagado',
  payer: 'Correo',
  newLink: 'Nuevo link',
  preview: 'Así lo ve quien paga',
  amountHint: '250.00',
  create: 'Crear link',
  invalidAmount: 'Escribe un monto como 250 o 250.50.',
  failed: 'No se pudo crear el link.',
  address: 'Dirección',
  copied: 'Está en el portapapeles: pégala donde la vas a enviar.',
  scan: 'Código QR de la dirección',
  openPayment: 'Ver el pago',
  duplicate: 'Crear otro igual',
  cancelling: {
    title: '¿Cancelar el link?',
    text: 'Ya no se podrá pagar. Mientras alguien paga, no se puede cancelar.',
    submit: 'Cancelar el link',
    failed: 'No se pudo cancelar.',
  },
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
  reached: 'Reached',
  steps: { viewed: 'Opened', attempted: 'Tried', completed: 'Paid' },
  amount: 'Amount',
  concept: 'Concept',
  reference: 'Reference',
  expires: 'Expires',
  paid: 'Paid',
  payer: 'E-mail',
  newLink: 'New link',
  preview: 'What the payer sees',
  amountHint: '250.00',
  create: 'Create link',
  invalidAmount: 'Enter an amount such as 250 or 250.50.',
  failed: 'The link could not be created.',
  address: 'Address',
  copied: 'It is in your clipboard: paste it where you want to send it.',
  scan: 'QR code of the address',
  openPayment: 'See the payment',
  duplicate: 'Create another like it',
  cancelling: {
    title: 'Cancel the link?',
    text: 'It can no longer be paid. While someone is paying, it cannot be cancelled.',
    submit: 'Cancel the link',
    failed: 'It could not be cancelled.',
  },
}

export const linksTexts: Texts<LinksTexts> = { es, en }
