import type { Texts } from './locale.tsx'

/** The texts of what opens above all screens. */
interface OverlayTexts {
  close: string
  results: string
  nothing: string
  searchFailed: string
  screens: string
  actions: string
  search: string
  openId: (id: string) => string
  searchPayments: (text: string) => string
  /** Takes the last four digits of a card, and perhaps an amount. */
  searchCard: (text: string) => string
  scope: string
  merchantHint: string
  recent: string
  merchants: string
  keys: {
    search: string
    rows: string
    open: string
    copy: string
    refund: string
    export: string
    find: string
    goTo: (section: string) => string
    newLink: string
    help: string
  }
  keysTitle: string
  areKeysOn: string
  callsHint: string
  noCalls: string
  pending: string
  unanswered: string
}

const es: OverlayTexts = {
  close: 'Cerrar',
  results: 'Resultados',
  nothing: 'No hay resultados.',
  searchFailed: 'No se pudo buscar.',
  screens: 'Secciones',
  actions: 'Acciones',
  search: 'Buscar',
  openId: id => `Abrir ${id}`,
  searchPayments: text => `Buscar «${text}» entre los pagos`,
  searchCard: text => `Buscar pagos con la tarjeta •••• ${text}`,
  scope: 'Alcance',
  merchantHint: 'Nombre, razón social, RFC o id',
  recent: 'Recientes',
  merchants: 'Comercios',
  keys: {
    search: 'Ir a la búsqueda de la lista',
    rows: 'Ir a la fila siguiente o anterior',
    open: 'Abrir la fila',
    copy: 'Copiar el id de la fila o de lo que se muestra',
    refund: 'Reembolsar el pago que se muestra',
    export: 'Exportar los pagos',
    find: 'Buscar desde cualquier parte',
    goTo: section => `Ir a ${section}`,
    newLink: 'Crear un link de pago',
    help: 'Mostrar esta ayuda',
  },
  keysTitle: 'Atajos de teclado',
  areKeysOn: 'Usar atajos de una tecla',
  callsHint: 'Lo que esta pantalla pidió a la API. Pon tu token en COBRO_TOKEN para repetir una llamada.',
  noCalls: 'Esta pantalla no ha llamado a la API.',
  pending: 'En curso',
  unanswered: 'Sin respuesta',
}

const en: OverlayTexts = {
  close: 'Close',
  results: 'Results',
  nothing: 'Nothing was found.',
  searchFailed: 'The search failed.',
  screens: 'Sections',
  actions: 'Actions',
  search: 'Search',
  openId: id => `Open ${id}`,
  searchPayments: text => `Search payments for “${text}”`,
  searchCard: text => `Search payments with the card •••• ${text}`,
  scope: 'Scope',
  merchantHint: 'Name, legal name, RFC or id',
  recent: 'Recent',
  merchants: 'Merchants',
  keys: {
    search: 'Go to the search of the list',
    rows: 'Go to the next or previous row',
    open: 'Open the row',
    copy: 'Copy the id of the row or of what is shown',
    refund: 'Refund the payment that is shown',
    export: 'Export the payments',
    find: 'Search from anywhere',
    goTo: section => `Go to ${section}`,
    newLink: 'Create a payment link',
    help: 'Show this help',
  },
  keysTitle: 'Keyboard shortcuts',
  areKeysOn: 'Use single-key shortcuts',
  callsHint: 'What this screen asked of the API. Set COBRO_TOKEN to your token to repeat a call.',
  noCalls: 'This screen has made no calls.',
  pending: 'Running',
  unanswered: 'No answer',
}

export const overlayTexts: Texts<OverlayTexts> = { es, en }
