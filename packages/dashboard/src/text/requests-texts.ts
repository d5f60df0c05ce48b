import type { Texts } from './locale.tsx'

interface RequestsTexts {
  title: string
  searchHint: string
  empty: string
  emptyHint: string
  method: string
  result: string
  results: Record<'2xx' | '3xx' | '4xx' | '5xx', string>
  call: string
  status: string
  error: string
  duration: string
  who: string
  /** Who can be filtered by. */
  whose: Record<'key' | 'client', string>
  /** Kinds of callers. One that is not here is shown as it is. */
  callers: Readonly<Record<string, string>>
  operation: string
  time: string
  object: string
  lifecycle: string
  succeeded: string
  failed: (code: string) => string
  led: string
  ledEmpty: string
  ledToNothing: string
}

const es: RequestsTexts = {
  title: 'Llamadas',
  searchHint: 'Operación o id de la llamada',
  empty: 'Todavía no hay llamadas.',
  emptyHint: 'Cada llamada de tus claves y usuarios a la API aparece aquí un momento después.',
  method: 'Método',
  result: 'Resultado',
  results: { '2xx': 'Correcto (2xx)', '3xx': 'Otra dirección (3xx)', '4xx': 'Rechazado (4xx)', '5xx': 'Falla (5xx)' },
  call: 'Llamada',
  status: 'Estado',
  error: 'Error',
  duration: 'Duración',
  who: 'Quién',
  whose: { key: 'Claves de API', client: 'Usuarios' },
  callers: { key: 'Clave', client: 'Usuario', operator: 'Operador' },
  operation: 'Operación',
  time: 'Fecha',
  object: 'Objeto',
  lifecycle: 'Ciclo de vida',
  succeeded: 'La API respondió.',
  failed: code => `La API respondió con un error: ${code}.`,
  led: 'A qué llevó',
  ledEmpty: 'Todavía no hay nada registrado.',
  ledToNothing: 'No es parte de ningún pago.',
}

const en: RequestsTexts = {
  title: 'Requests',
  searchHint: 'Operation or request id',
  empty: 'There are no requests yet.',
  emptyHint: 'Each call of your keys and users to the API appears here a moment later.',
  method: 'Method',
  result: 'Result',
  results: { '2xx': 'Done (2xx)', '3xx': 'Elsewhere (3xx)', '4xx': 'Refused (4xx)', '5xx': 'Failed (5xx)' },
  call: 'Call',
  status: 'Status',
  error: 'Error',
  duration: 'Duration',
  who: 'Who',
  whose: { key: 'API keys', client: 'Users' },
  callers: { key: 'Key', client: 'User', operator: 'Operator' },
  operation: 'Operation',
  time: 'Date',
  object: 'Object',
  lifecycle: 'Lifecycle',
  succeeded: 'The API answered.',
  failed: code => `The API answered with an error: ${code}.`,
  led: 'What it led to',
  ledEmpty: 'Nothing is on record yet.',
  ledToNothing: 'It belongs to no payment.',
}

export const requestsTexts: Texts<RequestsTexts> = { es, en }
