import type { CheckoutSession } from '@cobro/sdk/admin'
import type { Texts } from './locale.tsx'

interface SessionsTexts {
  title: string
  searchHint: string
  empty: string
  emptyHint: string
  status: string
  statuses: Record<CheckoutSession['status'], string>
  /** What becomes of a session, in a sentence. */
  sentences: Record<CheckoutSession['status'], string>
  amount: string
  order: string
  customer: string
  created: string
  expires: string
  address: string
  items: string
  openPayment: string
}

const es: SessionsTexts = {
  title: 'Sesiones',
  searchHint: 'Pedido, correo o nombre',
  empty: 'Todavía no hay sesiones.',
  emptyHint: 'Tu servidor abre una cuando un cliente va a pagar.',
  status: 'Estado',
  statuses: { pending: 'Pendiente', completed: 'Completada', expired: 'Vencida', cancelled: 'Cancelada' },
  sentences: {
    pending: 'Espera el pago.',
    completed: 'Se pagó.',
    expired: 'Venció sin pagarse.',
    cancelled: 'Se canceló y ya no se puede pagar.',
  },
  amount: 'Monto',
  order: 'Pedido',
  customer: 'Cliente',
  created: 'Creada',
  expires: 'Vence',
  address: 'Dirección',
  items: 'Qué se paga',
  openPayment: 'Ver el pago',
}

const en: SessionsTexts = {
  title: 'Sessions',
  searchHint: 'Order, e-mail or name',
  empty: 'There are no sessions yet.',
  emptyHint: 'Your server opens one when a customer is about to pay.',
  status: 'Status',
  statuses: { pending: 'Pending', completed: 'Completed', expired: 'Expired', cancelled: 'Cancelled' },
  sentences: {
    pending: 'It waits for the payment.',
    completed: 'It was paid.',
    expired: 'It expired without a payment.',
    cancelled: 'It was cancelled and can no longer be paid.',
  },
  amount: 'Amount',
  order: 'Order',
  customer: 'Customer',
  created: 'Created',
  expires: 'Expires',
  address: 'Address',
  items: 'What is paid',
  openPayment: 'See the payment',
}

export const sessionsTexts: Texts<SessionsTexts> = { es, en }
