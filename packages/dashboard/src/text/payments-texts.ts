import type { Texts } from './locale.tsx'

interface PaymentsTexts {
  title: string
  search: string
  searchHint: string
  status: string
  refund: string
  method: string
  from: string
  to: string
  any: string
  clear: string
  date: (zone: string) => string
  amount: string
  state: string
  reference: string
  payer: string
  empty: string
  emptyHint: string
  filteredEmpty: string
  previous: string
  next: string
  rows: (first: number, last: number, count: string) => string
}

const es: PaymentsTexts = {
  title: 'Pagos',
  search: 'Buscar',
  searchHint: 'Referencia, pedido, correo o id',
  status: 'Estado',
  refund: 'Reembolso',
  method: 'Método',
  from: 'Desde',
  to: 'Hasta',
  any: 'Todos',
  clear: 'Quitar filtros',
  date: zone => `Fecha (${zone})`,
  amount: 'Monto',
  state: 'Estado',
  reference: 'Referencia',
  payer: 'Correo',
  empty: 'Todavía no hay pagos.',
  emptyHint: 'Aparecen aquí en cuanto alguien paga una sesión o un link de pago.',
  filteredEmpty: 'Ningún pago coincide con los filtros.',
  previous: 'Anteriores',
  next: 'Siguientes',
  rows: (first, last, count) => `${first}–${last} de ${count}`,
}

const en: PaymentsTexts = {
  title: 'Payments',
  search: 'Search',
  searchHint: 'Reference, order, e-mail or id',
  status: 'Status',
  refund: 'Refund',
  method: 'Method',
  from: 'From',
  to: 'To',
  any: 'All',
  clear: 'Clear filters',
  date: zone => `Date (${zone})`,
  amount: 'Amount',
  state: 'Status',
  reference: 'Reference',
  payer: 'E-mail',
  empty: 'There are no payments yet.',
  emptyHint: 'They appear here as soon as a payer pays a session or a payment link.',
  filteredEmpty: 'No payment matches the filters.',
  previous: 'Previous',
  next: 'Next',
  rows: (first, last, count) => `${first}–${last} of ${count}`,
}

export const paymentsTexts: Texts<PaymentsTexts> = { es, en }
