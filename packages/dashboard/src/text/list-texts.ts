import type { Texts } from './locale.tsx'

/** The texts that all lists share. */
interface ListTexts {
  search: string
  from: string
  to: string
  any: string
  clear: string
  filteredEmpty: string
  allDays: string
  goTo: (section: string) => string
  withApi: string
  previous: string
  next: string
  rows: (first: number, last: number, count: string) => string
  date: (zone: string) => string
  changed: (count: number) => string
  columns: string
  usualColumns: string
  done: string
}

const es: ListTexts = {
  search: 'Buscar',
  from: 'Desde',
  to: 'Hasta',
  any: 'Todos',
  clear: 'Quitar filtros',
  filteredEmpty: 'Nada coincide con los filtros.',
  allDays: 'Todos los días',
  goTo: section => `Ir a ${section}`,
  withApi: 'Con la API:',
  previous: 'Anteriores',
  next: 'Siguientes',
  rows: (first, last, count) => `${first}–${last} de ${count}`,
  date: zone => `Fecha (${zone})`,
  columns: 'Columnas',
  usualColumns: 'Las habituales',
  done: 'Listo',
  changed: count => (count === 1 ? 'Hay un cambio: mostrar' : `Hay ${count} cambios: mostrar`),
}

const en: ListTexts = {
  search: 'Search',
  from: 'From',
  to: 'To',
  any: 'All',
  clear: 'Clear filters',
  filteredEmpty: 'Nothing matches the filters.',
  allDays: 'All days',
  goTo: section => `Go to ${section}`,
  withApi: 'With the API:',
  previous: 'Previous',
  next: 'Next',
  rows: (first, last, count) => `${first}–${last} of ${count}`,
  date: zone => `Date (${zone})`,
  columns: 'Columns',
  usualColumns: 'Usual columns',
  done: 'Done',
  changed: count => (count === 1 ? 'Show 1 change' : `Show ${count} changes`),
}

export const listTexts: Texts<ListTexts> = { es, en }
