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
  reached: string
  /** How far payers have come. */
  steps: Record<'viewed' | 'attempted' | 'completed', string>
  amount: string
  order: string
  customer: string
  created: string
  expires: string
  address: string
  items: string
  openPayment: string
  names: Record<'external_id' | 'first_name' | 'last_name' | 'email', string>
  cancelling: { title: string; text: string; submit: string; failed: string }
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
  reached: 'Avance',
  steps: { viewed: 'Abiertas', attempted: 'Intentadas', completed: 'Pagadas' },
  amount: 'Monto',
  order: 'Pedido',
  customer: 'Cliente',
  created: 'Creada',
  expires: 'Vence',
  address: 'Dirección',
  items: 'Qué se paga',
  openPayment: 'Ver el pago',
  names: { external_id: 'Pedido', first_name: 'Nombre', last_name: 'Apellidos', email: 'Correo' },
  cancelling: {
    title: '¿Cancelar la sesión?',
    text: 'Ya no se podrá pagar. Mientras alguien paga, no se puede cancelar.',
    submit: 'Cancelar la sesión',
    failed: 'No se pudo cancelar.',
  },
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
  reached: 'Reached',
  steps: { viewed: 'Opened', attempted: 'Tried', completed: 'Paid' },
  amount: 'Amount',
  order: 'Order',
  customer: 'Customer',
  created: 'Created',
  expires: 'Expires',
  address: 'Address',
  items: 'What is paid',
  openPayment: 'See the payment',
  names: { external_id: 'Order', first_name: 'First name', last_name: 'Last name', email: 'E-mail' },
  cancelling: {
    title: 'Cancel the session?',
    text: 'It can no longer be paid. While someone is paying, it cannot be cancelled.',
    submit: 'Cancel the session',
    failed: 'It could not be cancelled.',
  },
}

export const sessionsTexts: Texts<SessionsTexts> = { es, en }
