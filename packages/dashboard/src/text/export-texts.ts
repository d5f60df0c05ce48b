import type { Texts } from './locale.tsx'

interface ExportTexts {
  export: string
  title: string
  /** How many payments match, where they are one or more. */
  rows: (count: number, shown: string) => string
  none: string
  /** What the file contains. */
  about: (zone: string) => string
  submit: string
  running: string
  failed: string
  file: string
}

const es: ExportTexts = {
  export: 'Exportar',
  title: 'Exportar pagos',
  rows: (count, shown) =>
    count === 1 ? '1 pago coincide con los filtros.' : `${shown} pagos coinciden con los filtros.`,
  none: 'Ningún pago coincide con los filtros.',
  about: zone => `El archivo CSV los tiene todos, no solo esta página, con horas de ${zone}.`,
  submit: 'Exportar CSV',
  running: 'Se está preparando el archivo…',
  failed: 'No se pudo exportar, y no se guardó ningún archivo.',
  file: 'pagos',
}

const en: ExportTexts = {
  export: 'Export',
  title: 'Export payments',
  rows: (count, shown) => (count === 1 ? '1 payment matches the filters.' : `${shown} payments match the filters.`),
  none: 'No payment matches the filters.',
  about: zone => `The CSV file has all of them, not this page alone, with times of ${zone}.`,
  submit: 'Export CSV',
  running: 'The file is being made…',
  failed: 'The export failed, and no file was saved.',
  file: 'payments',
}

export const exportTexts: Texts<ExportTexts> = { es, en }
