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
  rows: (first: string, last: string, count: string) => string
  goesNoFurther: string
  noSuchPage: string
  firstPage: string
  date: (zone: string) => string
  merchant: string
  changed: (count: number) => string
  changedMore: (count: number) => string
  mayHaveChanged: string
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
  goesNoFurther: 'La lista llega hasta aquí: usa los filtros para ver otras filas.',
  noSuchPage: 'Esta página no tiene filas.',
  firstPage: 'Ir a la primera página',
  date: zone => `Fecha (${zone})`,
  merchant: 'Comercio',
  columns: 'Columnas',
  usualColumns: 'Las habituales',
  done: 'Listo',
  changed: count => (count === 1 ? 'Hay un cambio: mostrar' : `Hay ${count} cambios: mostrar`),
  changedMore: count => `Hay más de ${count} cambios: mostrar`,
  mayHaveChanged: 'La lista pudo cambiar: actualizar',
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
  goesNoFurther: 'The list ends here: use the filters to see other rows.',
  noSuchPage: 'This page has no rows.',
  firstPage: 'Go to the first page',
  date: zone => `Date (${zone})`,
  merchant: 'Merchant',
  columns: 'Columns',
  usualColumns: 'Usual columns',
  done: 'Done',
  changed: count => (count === 1 ? 'Show 1 change' : `Show ${count} changes`),
  changedMore: count => `Show more than ${count} changes`,
  mayHaveChanged: 'The list may have changed: refresh',
}

export const listTexts: Texts<ListTexts> = { es, en }
