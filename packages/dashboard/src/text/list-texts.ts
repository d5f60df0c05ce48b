import type { Texts } from './locale.tsx'

/** The texts that all lists share. */
interface ListTexts {
  search: string
  from: string
  to: string
  any: string
  clear: string
  filteredEmpty: string
  previous: string
  next: string
  rows: (first: number, last: number, count: string) => string
  date: (zone: string) => string
}

const es: ListTexts = {
  search: 'Buscar',
  from: 'Desde',
  to: 'Hasta',
  any: 'Todos',
  clear: 'Quitar filtros',
  filteredEmpty: 'Nada coincide con los filtros.',
  previous: 'Anteriores',
  next: 'Siguientes',
  rows: (first, last, count) => `${first}–${last} de ${count}`,
  date: zone => `Fecha (${zone})`,
}

const en: ListTexts = {
  search: 'Search',
  from: 'From',
  to: 'To',
  any: 'All',
  clear: 'Clear filters',
  filteredEmpty: 'Nothing matches the filters.',
  previous: 'Previous',
  next: 'Next',
  rows: (first, last, count) => `${first}–${last} of ${count}`,
  date: zone => `Date (${zone})`,
}

export const listTexts: Texts<ListTexts> = { es, en }
