import type { Dispute } from '@cobro/sdk/admin'
import type { Texts } from './locale.tsx'

/** The texts of the panels beside the timeline of a payment. */
interface PaymentPanelsTexts {
  deliveries: string
  noDeliveries: string
  allDeliveries: string
  disputes: string
  disputeStatuses: Record<Dispute['status'], string>
  reason: string
  dueBy: string
  resolved: string
  metadata: string
  developers: string
  readCall: string
  traces: string
  noTraces: string
}

const es: PaymentPanelsTexts = {
  deliveries: 'Entregas de webhooks',
  noDeliveries: 'No se ha enviado nada de este pago.',
  allDeliveries: 'Ver todas las entregas de este pago',
  disputes: 'Contracargos',
  disputeStatuses: {
    open: 'Abierto',
    under_review: 'En revisión',
    won: 'Ganado',
    lost: 'Perdido',
    accepted: 'Aceptado',
    expired: 'Vencido',
  },
  reason: 'Motivo',
  dueBy: 'Responde antes de',
  resolved: 'Resuelto',
  metadata: 'Tus datos',
  developers: 'Para desarrolladores',
  readCall: 'La llamada que lee este pago. Usa tu clave de API.',
  traces: 'Trazas',
  noTraces: 'No hay trazas registradas.',
}

const en: PaymentPanelsTexts = {
  deliveries: 'Webhook deliveries',
  noDeliveries: 'Nothing was sent of this payment.',
  allDeliveries: 'See all deliveries of this payment',
  disputes: 'Disputes',
  disputeStatuses: {
    open: 'Open',
    under_review: 'Under review',
    won: 'Won',
    lost: 'Lost',
    accepted: 'Accepted',
    expired: 'Expired',
  },
  reason: 'Reason',
  dueBy: 'Respond before',
  resolved: 'Resolved',
  metadata: 'Your data',
  developers: 'For developers',
  readCall: 'The call that reads this payment. Use your API key.',
  traces: 'Traces',
  noTraces: 'No traces are on record.',
}

export const paymentPanelsTexts: Texts<PaymentPanelsTexts> = { es, en }
