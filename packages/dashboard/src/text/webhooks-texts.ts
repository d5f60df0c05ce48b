import type { Webhook, WebhookDelivery } from '@cobro/sdk/admin'
import type { Texts } from './locale.tsx'

interface WebhooksTexts {
  title: string
  searchHint: string
  empty: string
  emptyHint: string
  status: string
  statuses: Record<Webhook['status'], string>
  url: string
  events: string
  eventCount: (count: number) => string
  lastDelivery: string
  never: string
  newEndpoint: string
  urlHint: string
  eventsHint: string
  allEvents: string
  /** Which events an endpoint receives. */
  eventChoices: Record<'all' | 'chosen', string>
  chosenEvents: string
  noEvents: string
  create: string
  edit: string
  save: string
  failed: string
  secret: string
  shownOnce: string
  stored: string
  copySecret: string
  /** What stands above the lines that verify a signature. */
  verify: string
  copyLines: string
  rotate: string
  rotateTitle: (url: string) => string
  rotateText: string
  deleteEndpoint: string
  deleteTitle: (url: string) => string
  deleteText: string
  sendTest: string
  deliveries: {
    title: string
    searchHint: string
    empty: string
    emptyHint: string
    status: string
    statuses: Record<WebhookDelivery['status'], string>
    /** What becomes of a delivery, in a sentence. */
    sentences: Record<WebhookDelivery['status'], string>
    /** What becomes of one that waits for its next attempt. */
    retried: string
    event: string
    endpoint: string
    payment: string
    attempts: string
    answer: string
    noAnswer: string
    next: string
    payload: string
    health: string
    cancelling: { title: string; text: string; submit: string; failed: string }
    resend: string
    resendAll: string
    resendNeeds: string
    /** Without a first moment, all until the last. */
    resendText: (count: number, status: string, from: string | undefined, to: string) => string
    resendConfirm: (count: number) => string
    resendFailed: string
    number: (number: number) => string
  }
}

const es: WebhooksTexts = {
  title: 'Webhooks',
  searchHint: 'Dirección o descripción',
  empty: 'Todavía no hay webhooks.',
  emptyHint: 'Agrega la dirección de tu servidor para recibir lo que pasa con tus pagos.',
  status: 'Estado',
  statuses: { active: 'Activo', disabled: 'Desactivado' },
  url: 'Dirección',
  events: 'Eventos',
  eventCount: count => (count === 1 ? '1 evento' : `${count} eventos`),
  lastDelivery: 'Última entrega',
  never: 'Nunca',
  newEndpoint: 'Nuevo webhook',
  urlHint: 'https://tu-servidor.com/cobro',
  eventsHint: 'Recibe todos los eventos, también los que se agreguen después.',
  allEvents: 'Todos',
  eventChoices: { all: 'Todos', chosen: 'Solo algunos' },
  chosenEvents: 'Recibe estos eventos',
  noEvents: 'Elige al menos un evento.',
  create: 'Agregar webhook',
  edit: 'Editar webhook',
  save: 'Guardar webhook',
  failed: 'No se pudo hacer el cambio.',
  secret: 'Secreto',
  shownOnce: 'Con él tu servidor verifica las firmas. Guárdalo ahora: no se vuelve a mostrar.',
  stored: 'Ya lo guardé',
  copySecret: 'Copiar el secreto',
  verify: 'Tu servidor verifica así cada entrega, con el cuerpo tal como llegó:',
  copyLines: 'Copiar las líneas',
  rotate: 'Rotar secreto',
  rotateTitle: url => `Rotar el secreto de ${url}`,
  rotateText:
    'Recibes un secreto nuevo. Durante un día las entregas se firman también con el actual; cambia tu servidor en ese tiempo. Si lo rotas otra vez antes, el más antiguo deja de servir de inmediato.',
  deleteEndpoint: 'Eliminar',
  deleteTitle: url => `Eliminar ${url}`,
  deleteText: 'Ya no recibe nada, y las entregas que esperan se cancelan. No se puede deshacer.',
  sendTest: 'Enviar prueba',
  deliveries: {
    title: 'Entregas',
    searchHint: 'Evento o dirección',
    empty: 'Todavía no hay entregas.',
    emptyHint: 'Cada evento que se envía a un webhook aparece aquí.',
    status: 'Estado',
    statuses: {
      pending: 'Pendiente',
      delivering: 'Enviando',
      succeeded: 'Entregada',
      failed: 'Sin entregar',
      exhausted: 'Agotada',
      cancelled: 'Cancelada',
    },
    sentences: {
      pending: 'Se enviará en un momento.',
      delivering: 'Se está enviando.',
      succeeded: 'Tu servidor la recibió.',
      failed: 'Tu servidor no la recibió. Puedes enviarla de nuevo.',
      exhausted: 'Tu servidor no la recibió y ya no se intentará. Puedes enviarla de nuevo.',
      cancelled: 'Se canceló y ya no se enviará.',
    },
    retried: 'Tu servidor no la recibió. Se intentará de nuevo.',
    event: 'Evento',
    endpoint: 'Dirección',
    payment: 'Pago',
    attempts: 'Intentos',
    answer: 'Respuesta',
    noAnswer: 'Sin respuesta',
    next: 'Siguiente intento',
    payload: 'Contenido',
    health: 'Envíos a este webhook en 7 días',
    cancelling: {
      title: 'Cancelar la entrega',
      text: 'Ya no se intentará por sí sola. Después puedes enviarla de nuevo.',
      submit: 'Cancelar la entrega',
      failed: 'No se pudo cancelar.',
    },
    resend: 'Enviar de nuevo',
    resendAll: 'Reenviar todas',
    resendNeeds:
      'Abre las entregas de un webhook y filtra por cómo terminaron, sin buscar un texto, un pago ni un evento.',
    resendText: (count, status, from, to) =>
      `Coinciden ${count} entregas de este webhook (${status}), creadas ${from === undefined ? 'hasta el' : `del ${from} al`} ${to}. Se envían de nuevo después de los eventos nuevos.`,
    resendConfirm: count => `Reenviar ${count}`,
    resendFailed: 'No se pudieron reenviar.',
    number: number => `Intento ${number}`,
  },
}

const en: WebhooksTexts = {
  title: 'Webhooks',
  searchHint: 'Address or description',
  empty: 'There are no webhooks yet.',
  emptyHint: 'Add the address of your server to receive what happens to your payments.',
  status: 'Status',
  statuses: { active: 'Active', disabled: 'Disabled' },
  url: 'Address',
  events: 'Events',
  eventCount: count => (count === 1 ? '1 event' : `${count} events`),
  lastDelivery: 'Last delivery',
  never: 'Never',
  newEndpoint: 'New webhook',
  urlHint: 'https://your-server.com/cobro',
  eventsHint: 'It receives all events, also those that are added later.',
  allEvents: 'All',
  eventChoices: { all: 'All', chosen: 'Only some' },
  chosenEvents: 'It receives these events',
  noEvents: 'Choose at least one event.',
  create: 'Add webhook',
  edit: 'Edit webhook',
  save: 'Save webhook',
  failed: 'The change could not be made.',
  secret: 'Secret',
  shownOnce: 'Your server verifies signatures with it. Store it now: it is not shown again.',
  stored: 'I have stored it',
  copySecret: 'Copy the secret',
  verify: 'Your server verifies each delivery like this, with the body as it arrived:',
  copyLines: 'Copy the lines',
  rotate: 'Rotate secret',
  rotateTitle: url => `Rotate the secret of ${url}`,
  rotateText:
    'You get a new secret. For a day, deliveries are signed with the present one too; change your server in that time. If you rotate it again before, the oldest one ends at once.',
  deleteEndpoint: 'Delete',
  deleteTitle: url => `Delete ${url}`,
  deleteText: 'It receives nothing more, and deliveries that wait are cancelled. This cannot be undone.',
  sendTest: 'Send test',
  deliveries: {
    title: 'Deliveries',
    searchHint: 'Event or address',
    empty: 'There are no deliveries yet.',
    emptyHint: 'Each event that is sent to a webhook appears here.',
    status: 'Status',
    statuses: {
      pending: 'Pending',
      delivering: 'Sending',
      succeeded: 'Delivered',
      failed: 'Not delivered',
      exhausted: 'Given up',
      cancelled: 'Cancelled',
    },
    sentences: {
      pending: 'It will be sent in a moment.',
      delivering: 'It is being sent.',
      succeeded: 'Your server received it.',
      failed: 'Your server did not receive it. You can send it again.',
      exhausted: 'Your server did not receive it, and it will not be sent again by itself. You can send it again.',
      cancelled: 'It was cancelled and will not be sent.',
    },
    retried: 'Your server did not receive it. It will be sent again.',
    event: 'Event',
    endpoint: 'Address',
    payment: 'Payment',
    attempts: 'Attempts',
    answer: 'Answer',
    noAnswer: 'No answer',
    next: 'Next attempt',
    payload: 'Payload',
    health: 'Requests to this webhook in 7 days',
    cancelling: {
      title: 'Cancel the delivery',
      text: 'It is not tried again by itself. You can send it again later.',
      submit: 'Cancel the delivery',
      failed: 'It could not be cancelled.',
    },
    resend: 'Send again',
    resendAll: 'Resend all',
    resendNeeds:
      'Open the deliveries of one webhook and filter by how they ended, without a search, a payment or an event.',
    resendText: (count, status, from, to) =>
      `${count} deliveries of this webhook (${status}), created ${from === undefined ? 'until' : `from ${from} to`} ${to}, match. They are sent once more, behind new events.`,
    resendConfirm: count => `Resend ${count}`,
    resendFailed: 'They could not be resent.',
    number: number => `Attempt ${number}`,
  },
}

export const webhooksTexts: Texts<WebhooksTexts> = { es, en }
