import type { Texts } from './locale.tsx'

interface RefundsTexts {
  title: string
  searchHint: string
  status: string
  requested: (zone: string) => string
  manual: string
  empty: string
  emptyHint: string
}

const es: RefundsTexts = {
  title: 'Reembolsos',
  searchHint: 'Referencia, pedido, correo o id',
  status: 'Estado',
  requested: zone => `Pedido el (${zone})`,
  manual: 'Por transferir a mano',
  empty: 'Todavía no hay reembolsos.',
  emptyHint: 'Aparecen aquí en cuanto pides el reembolso de un pago.',
}

const en: RefundsTexts = {
  title: 'Refunds',
  searchHint: 'Reference, order, e-mail or id',
  status: 'Status',
  requested: zone => `Requested (${zone})`,
  manual: 'Transfer by hand',
  empty: 'There are no refunds yet.',
  emptyHint: 'They appear here as soon as you refund a payment.',
}

export const refundsTexts: Texts<RefundsTexts> = { es, en }
