import type { Texts } from './locale.tsx'

interface HomeTexts {
  title: string
  periodsLabel: string
  periods: Record<'today' | 'week' | 'month' | 'quarter', string>
  paymentsTitle: string
  volume: string
  captured: string
  approvalRate: string
  declined: string
  refunded: string
  chargebacks: string
  /** `until` is the hour of its last day up to which it is counted, unless it is counted as a whole. */
  before: (value: string, until: string | undefined) => string
  declines: string
  noDeclines: string
  refundsAndDisputes: string
  checkout: Record<'session' | 'link', string>
  steps: Record<'created' | 'viewed' | 'attempted' | 'completed', string>
  conversion: (share: string) => string
  webhooks: string
  delivered: string
  undelivered: string
  /** Within which time so many requests were answered. */
  answered: Record<'p50_ms' | 'p95_ms', string>
  waiting: string
  noWebhooks: string
  /** What a chart shows, in words. */
  summary: {
    total: (label: string, value: string) => string
    more: (change: string) => string
    less: (change: string) => string
    same: string
    noneBefore: string
    until: (time: string) => string
    highest: (label: string, value: string) => string
  }
  points: (points: string) => string
  attention: {
    title: string
    disabledWebhooks: (count: number) => string
    exhausted: (count: string) => string
    failedRefunds: (count: number) => string
    /** `due` is until when it has to be answered. */
    dispute: (amount: string, reason: string, due: string | null) => string
    moreDisputes: (count: number) => string
    /** The names of lists that could not be read. */
    lists: Record<'disputes' | 'disabled' | 'refunds', string>
    unread: (lists: string) => string
  }
  none: string
}

const es: HomeTexts = {
  title: 'Inicio',
  periodsLabel: 'Periodo',
  periods: { today: 'Hoy', week: '7 días', month: '30 días', quarter: '90 días' },
  paymentsTitle: 'Pagos',
  volume: 'Cobrado',
  captured: 'Pagos cobrados',
  approvalRate: 'Tasa de aprobación',
  declined: 'Rechazados y fallidos',
  refunded: 'Reembolsado',
  chargebacks: 'Contracargos',
  before: (value, until) => `${until ? `Antes, a las ${until}` : 'Periodo anterior'}: ${value}`,
  declines: 'Rechazos por motivo',
  noDeclines: 'Ningún pago se rechazó en este periodo.',
  refundsAndDisputes: 'Reembolsos y contracargos',
  checkout: { session: 'De la sesión al pago', link: 'Del link al pago' },
  steps: { created: 'Se crearon', viewed: 'Se abrieron', attempted: 'Se intentaron pagar', completed: 'Se pagaron' },
  conversion: share => `De lo que se creó en el periodo se ha pagado: ${share}.`,
  webhooks: 'Webhooks',
  delivered: 'Entregados',
  undelivered: 'Sin entregar',
  answered: { p50_ms: 'La mitad respondió en', p95_ms: 'El 95 % respondió en' },
  waiting: 'En espera de envío',
  noWebhooks: 'No se envió ningún webhook en este periodo.',
  summary: {
    total: (label, value) => `${label}: ${value}`,
    more: change => `${change} más que en el periodo anterior`,
    less: change => `${change} menos que en el periodo anterior`,
    same: 'igual que en el periodo anterior',
    noneBefore: 'sin nada en el periodo anterior',
    until: time => `Comparado hasta las ${time}.`,
    highest: (label, value) => `Lo más alto: ${value} (${label}).`,
  },
  points: points => `${points} puntos`,
  attention: {
    title: 'Necesita tu atención',
    disabledWebhooks: count => (count === 1 ? 'Un webhook está desactivado' : `${count} webhooks están desactivados`),
    exhausted: count => `Entregas de webhooks sin éxito en el periodo: ${count}`,
    failedRefunds: count => (count === 1 ? 'Un reembolso falló' : `${count} reembolsos fallaron`),
    dispute: (amount, reason, due) =>
      `Contracargo de ${amount} (${reason}): ${due === null ? 'espera respuesta' : `responde a más tardar el ${due}`}`,
    moreDisputes: count =>
      count === 1 ? 'Otro contracargo espera respuesta' : `Otros ${count} contracargos esperan respuesta`,
    lists: { disputes: 'contracargos abiertos', disabled: 'webhooks desactivados', refunds: 'reembolsos fallidos' },
    unread: lists => `No se pudo leer: ${lists}.`,
  },
  none: '–',
}

const en: HomeTexts = {
  title: 'Home',
  periodsLabel: 'Period',
  periods: { today: 'Today', week: '7 days', month: '30 days', quarter: '90 days' },
  paymentsTitle: 'Payments',
  volume: 'Captured',
  captured: 'Captured payments',
  approvalRate: 'Approval rate',
  declined: 'Declined and failed',
  refunded: 'Refunded',
  chargebacks: 'Chargebacks',
  before: (value, until) => `${until ? `Before, by ${until}` : 'Period before'}: ${value}`,
  declines: 'Declines by reason',
  noDeclines: 'No payment was declined in this period.',
  refundsAndDisputes: 'Refunds and chargebacks',
  checkout: { session: 'From session to payment', link: 'From link to payment' },
  steps: { created: 'Created', viewed: 'Opened', attempted: 'Tried', completed: 'Paid' },
  conversion: share => `Paid of what was created in the period: ${share}.`,
  webhooks: 'Webhooks',
  delivered: 'Delivered',
  undelivered: 'Not delivered',
  answered: { p50_ms: 'Half answered within', p95_ms: '95 % answered within' },
  waiting: 'Waiting to be sent',
  noWebhooks: 'No webhook was sent in this period.',
  summary: {
    total: (label, value) => `${label}: ${value}`,
    more: change => `${change} more than in the period before`,
    less: change => `${change} less than in the period before`,
    same: 'as in the period before',
    noneBefore: 'nothing in the period before',
    until: time => `Compared up to ${time}.`,
    highest: (label, value) => `Highest: ${value} (${label}).`,
  },
  points: points => `${points} points`,
  attention: {
    title: 'Needs attention',
    disabledWebhooks: count => (count === 1 ? 'A webhook is disabled' : `${count} webhooks are disabled`),
    exhausted: count => `Webhook deliveries given up in the period: ${count}`,
    failedRefunds: count => (count === 1 ? 'A refund failed' : `${count} refunds failed`),
    dispute: (amount, reason, due) =>
      `Dispute of ${amount} (${reason}): ${due === null ? 'waits for an answer' : `answer by ${due}`}`,
    moreDisputes: count =>
      count === 1 ? 'Another dispute waits for an answer' : `${count} more disputes wait for an answer`,
    lists: { disputes: 'open disputes', disabled: 'disabled webhooks', refunds: 'failed refunds' },
    unread: lists => `Could not be read: ${lists}.`,
  },
  none: '–',
}

export const homeTexts: Texts<HomeTexts> = { es, en }
